// Sets the chosen theme before the page is painted, where the server does not write it: in the admin.
const found = /(?:^|; )theme=(auto|dark|light)/.exec(document.cookie);
document.documentElement.dataset.theme = found ? found[1] : "auto";
