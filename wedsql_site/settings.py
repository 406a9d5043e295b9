"""Django settings; what differs between installations comes from the environment (docs/operating.md)."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from flows import flow_apps
from wedsql_site import database, environment, logs, secrets_store
from workers.djangoq.settings import q_cluster

BASE_DIR: Path = environment.CHECKOUT
STATE_DIR: Path = environment.state_dir()
PROCESS = environment.process()
DEBUG = environment.flag("WEDSQL_DEBUG")
# The page /styleguide/ shows every component of the pages.
STYLEGUIDE = environment.flag("WEDSQL_STYLEGUIDE", default=DEBUG)
# Plain HTTP is for the local machine only: `wedsql up` sets WEDSQL_HTTPS=0 for a loopback address.
HTTPS = environment.flag("WEDSQL_HTTPS", default=not DEBUG)
BEHIND_PROXY = environment.flag("WEDSQL_BEHIND_PROXY")
WEDSQL_TRUSTED_PROXIES = environment.proxies("WEDSQL_TRUSTED_PROXIES", default=int(BEHIND_PROXY))
# Open connections per address, or per client behind the proxies; 0 is no limit.
CONNECTIONS_PER_ADDRESS = environment.number("WEDSQL_CONNECTIONS_PER_ADDRESS", 256, least=0)

SECRET_KEY = secrets_store.secret_key()
SECRET_KEY_FALLBACKS = environment.comma_separated("WEDSQL_SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = environment.comma_separated("WEDSQL_ALLOWED_HOSTS") or ["127.0.0.1", "localhost", "[::1]"]
CSRF_TRUSTED_ORIGINS = [
    f"https://{host.removeprefix('.')}" for host in ALLOWED_HOSTS if HTTPS and host != "*"
]

INSTALLED_APPS = [
    # Only `runserver` needs the app; the other processes start without the libraries that it imports.
    *(["daphne"] if sys.argv[1:2] == ["runserver"] else []),
    "channels",
    "wedsql_site.admin_apps.LazyAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "pages",
    "flows",
    "workers",
    "workers.demo",
    "django_q",  # after workers, whose qcluster is the command
    "monitor",
    "wedsql_site",
    *flow_apps.installed(),  # flows designed in the admin and exported as migrations
]
# Workers, reaper and simulation serve no pages, and need none of the models of these apps.
PAGES_ONLY = (
    "channels",
    "wedsql_site.admin_apps.LazyAdminConfig",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "django_otp.plugins.otp_static",
    "monitor",
)
WITHOUT_PAGES = sys.argv[1:2] in (["qcluster"], ["wedworker"], ["simulate"])
if WITHOUT_PAGES:
    INSTALLED_APPS = [app for app in INSTALLED_APPS if app not in PAGES_ONLY]

MIDDLEWARE = [
    "wedsql_site.web.middleware.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "wedsql_site.web.middleware.ContentSecurityPolicy",
    "wedsql_site.web.middleware.NoStore",
    "monitor.api.problems.Problems",
    "wedsql_site.web.statics.Statics",
    "wedsql_site.web.middleware.Compression",
    "wedsql_site.web.middleware.RejectNul",
    "wedsql_site.web.middleware.Probes",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "pages.zone.ReaderZone",
    "wedsql_site.web.middleware.PageWords",
    "wedsql_site.web.middleware.ErrorPages",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "wedsql_site.web.middleware.UnconfirmedCommits",
    "wedsql_site.page_parameters.UnreadParameters",
    "flows.users.authors.NameAuthor",
    "flows.capabilities.tasks.presence.NotePresence",
    "flows.capabilities.looks.middleware.RecordLooks",
]

# Requests to the HTTP API per minute and caller, counted in the web process, of which there is one.
API_REQUESTS_PER_MINUTE = environment.number("WEDSQL_API_REQUESTS_PER_MINUTE", 600, least=1)

ROOT_URLCONF = "wedsql_site.urls"
ASGI_APPLICATION = "wedsql_site.asgi.application"
FORM_RENDERER = "pages.form_renderer.QuickRenderer"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [environment.resources("templates")],
        "OPTIONS": {
            "loaders": [
                (
                    "pages.compiler.loader.Loader",
                    [
                        "django.template.loaders.filesystem.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

DATABASES = {"default": database.default(PROCESS)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Only web processes have the connection that listens for the pages.
MONITOR_DATABASE_URL = database.url("monitor") if PROCESS in {"web", "admin"} else ""
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
Q_CLUSTER = q_cluster(
    workers=environment.number("WEDSQL_Q_WORKERS", 2, least=1, most=256),
    timeout=environment.number("WEDSQL_Q_TIMEOUT", 600, least=1, most=7 * 86400),
    batch=environment.number("WEDSQL_Q_BATCH", 100, least=1, most=10_000),
    mode=environment.choice("WEDSQL_Q_MODE", "batch", ("batch", "step")),
    log_level=environment.choice("WEDSQL_Q_LOG", "WARNING", logs.LEVELS),
)
# Seconds for a running handler to finish when its worker is stopped.
STOP_GRACE = environment.stop_grace()

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "wedsql_site.second_factor.backend.Backend",
]
if WITHOUT_PAGES:
    AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]  # for permissions alone
SECOND_FACTOR = environment.choice(
    "WEDSQL_SECOND_FACTOR", "offered", ("off", "offered", "required-staff", "required")
)
# The name of this site in authenticator apps, different for each installation.
OTP_TOTP_ISSUER = f"WED-SQL {ALLOWED_HOSTS[0].strip('.*')}".strip()
OTP_ADMIN_HIDE_SENSITIVE_DATA = True
# Handler applies the limits itself and returns 1 when one is reached.
AXES_HANDLER = "wedsql_site.web.attempts.Handler"
AXES_FAILURE_LIMIT = 1
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "ip_address", "username"]
AXES_COOLOFF_TIME = timedelta(minutes=5)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_USERNAME_CALLABLE = "wedsql_site.web.attempts.counted_name"
AXES_CLIENT_IP_CALLABLE = "wedsql_site.web.client_address.counted_address"
AXES_LOCKOUT_CALLABLE = "wedsql_site.web.attempts.locked"
AXES_ENABLE_ACCESS_FAILURE_LOG = True
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = [
    "username", "ip_address", "old_password", "new_password1", "new_password2", "csrfmiddlewaretoken",
    "code",
]  # fmt: skip
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("pt-br", _("Portuguese"))]
# Where the log system shows the lines of one instance or job (docs/monitoring.md).
WEDSQL_LOG_URL = environment.address("WEDSQL_LOG_URL")
# The mail server for alerts, and what addresses of webhooks are allowed besides https to the Internet.
EMAIL_HOST = environment.text("WEDSQL_EMAIL_HOST")
EMAIL_PORT = environment.number("WEDSQL_EMAIL_PORT", 587, least=1, most=65_535)
EMAIL_HOST_USER = environment.text("WEDSQL_EMAIL_USER")
EMAIL_HOST_PASSWORD = environment.text("WEDSQL_EMAIL_PASSWORD")
_MAIL_TLS = environment.choice("WEDSQL_EMAIL_TLS", "starttls", ("starttls", "tls", "none"))
EMAIL_USE_TLS = _MAIL_TLS == "starttls"
EMAIL_USE_SSL = _MAIL_TLS == "tls"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = environment.text("WEDSQL_EMAIL_FROM", "wedsql@localhost")
# The hour of the day, in UTC, of mails about cases.
WEDSQL_DIGEST_HOUR = environment.number("WEDSQL_DIGEST_HOUR", 6, least=0, most=23)
# The address of this site, for the links in messages of webhooks and in mails.
WEDSQL_SITE_URL = environment.address("WEDSQL_SITE_URL")
WEDSQL_WEBHOOK_HTTP = environment.flag("WEDSQL_WEBHOOK_HTTP")
WEDSQL_WEBHOOK_INTERNAL = environment.flag("WEDSQL_WEBHOOK_INTERNAL")
# Below this, devices lock no tasks for work without a connection.
WEDSQL_OFFLINE_ENERGY = environment.number("WEDSQL_OFFLINE_ENERGY", 5, least=0, most=100)
WEDSQL_OFFLINE_SPACE_MB = environment.number("WEDSQL_OFFLINE_SPACE_MB", 20, least=0, most=100_000)
# How large a file of a case may be, how many a case may have, and how large all of a flow may be.
WEDSQL_FILE_MB = environment.number("WEDSQL_FILE_MB", 5, least=1, most=8)
WEDSQL_CASE_FILES = environment.number("WEDSQL_CASE_FILES", 20, least=0, most=1000)
WEDSQL_FLOW_FILES_MB = environment.number("WEDSQL_FLOW_FILES_MB", 100, least=0, most=100_000)
LOCALE_PATHS = [environment.resources("locale")]
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
FORMAT_MODULE_PATH = "wedsql_site.formats"

STATIC_URL = "static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "wedsql_site.web.statics.VersionedStorage"},
}

SESSION_ENGINE = "wedsql_site.web.sessions"
# A session ends eight hours after log-in, whether it is used or not.
SESSION_COOKIE_AGE = 8 * 3600
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_NAME = "__Host-sessionid" if HTTPS else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if HTTPS else "csrftoken"
CSRF_FAILURE_VIEW = "pages.error_pages.csrf_failure"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = HTTPS
LANGUAGE_COOKIE_SAMESITE = "Lax"
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [
    "^healthz$",
    "^readyz$",
    "^metrics$",
]  # requested without the proxy
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 12 * 1024 * 1024
# A flow's page has about thirty fields per trigger; a thousand triggers must fit.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 50_000

LOGGING = logs.configuration(PROCESS, Q_CLUSTER["log_level"], in_full=DEBUG)
