"""The URLs of the monitor's pages."""

from django.urls import path

from monitor.views import flow, health, instance, overview, preferences, probes, workers

app_name = "monitor"

urlpatterns = [
    path("", overview.flows, name="flows"),
    path("flows/<slug:name>/", flow.flow, name="flow"),
    path("flows/<slug:name>/jobs/", flow.flow_jobs, name="jobs"),
    path("instances/<int:wid>/", instance.instance, name="instance"),
    path("instances/<int:wid>.json", instance.raw, name="instance_json"),
    path("workers/", workers.workers, name="workers"),
    path("health/", health.health_page, name="health"),
    path("health/check/", health.check, name="check"),
    path("live/flows/", overview.flows_part, name="live_flows"),
    path("live/flows/<slug:name>/", flow.changes, name="live_flow"),
    path("live/instances/<int:wid>/", instance.changes, name="live_instance"),
    path("theme/", preferences.theme, name="theme"),
    path("healthz", probes.healthz, name="healthz"),
    path("readyz", probes.readyz, name="readyz"),
    path("metrics", probes.metrics_page, name="metrics"),
]
