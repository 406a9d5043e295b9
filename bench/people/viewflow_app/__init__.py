"""A Django application with a process of five tasks in django-viewflow."""
