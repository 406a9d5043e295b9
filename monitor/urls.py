"""The URLs of the monitor's pages."""

from django.urls import path

from monitor.alerts import views as alerts
from monitor.api import document
from monitor.approvals import delegations
from monitor.approvals import views as proposals
from monitor.bulk import repair_views as repair_many
from monitor.bulk import views as bulk
from monitor.cases import digests
from monitor.cases import files as case_files
from monitor.cases import reports as case_reports
from monitor.cases import views as cases
from monitor.children import views as children
from monitor.figures import errors
from monitor.figures import views as analysis
from monitor.looks import views as looks
from monitor.moves import views as moves
from monitor.offline import departure as offline_departure
from monitor.offline import devices as offline_devices
from monitor.offline import files as offline_files
from monitor.offline import views as offline
from monitor.reasons import views as reasons
from monitor.recovery import draft_views as drafts
from monitor.recovery import proposed_rules
from monitor.recovery import views as repair
from monitor.signals import views as signals
from monitor.sla import views as slas
from monitor.tasks import absences, selection
from monitor.tasks import files as task_files
from monitor.tasks import list_actions as task_taking
from monitor.tasks import lists as task_lists
from monitor.tasks import mails as task_mails
from monitor.tasks import messages as task_messages
from monitor.tasks import views as task_views
from monitor.views import (
    controls,
    desk_rules,
    diagram,
    exceptions,
    export,
    field_values,
    flow,
    health,
    indexes,
    instance,
    instances,
    jobs,
    locks,
    operate,
    operations,
    overview,
    picture,
    preferences,
    probes,
    saved_views,
    start_csv,
    steps,
    workers,
)
from monitor.webhooks import views as webhooks

app_name = "monitor"

urlpatterns = [
    path("", overview.flows, name="flows"),
    path("flows/<slug:name>/", flow.flow, name="flow"),
    path("flows/<slug:name>/export.<slug:ending>", export.of_flow, name="export"),
    path("views/values/", field_values.values, name="field_values"),
    path("instances/export.<slug:ending>", export.of_all, name="export_all"),
    path("flows/<slug:name>/jobs/", jobs.flow_jobs, name="jobs"),
    path("flows/<slug:name>/picture/", picture.picture, name="picture"),
    path("flows/<slug:name>/diagram/", diagram.diagram, name="diagram"),
    path("flows/<slug:name>/analysis/", analysis.flow_analysis, name="analysis"),
    path("flows/<slug:name>/analysis/steps/", analysis.steps, name="analysis_steps"),
    path("flows/<slug:name>/history.<slug:ending>", analysis.history_file, name="export_history"),
    path("flows/<slug:name>/indexes/", indexes.request_index, name="request_index"),
    path("flows/<slug:name>/start/", operate.start, name="start"),
    path("flows/<slug:name>/start/csv/", start_csv.start_csv, name="start_csv"),
    path("flows/<slug:name>/signals/", signals.signals, name="signals"),
    path("flows/<slug:name>/locks/", locks.locks, name="locks"),
    path("flows/<slug:name>/audit/", looks.audit, name="audit"),
    path("flows/<slug:name>/audit.<slug:ending>", looks.audit_file, name="export_audit"),
    path("flows/<slug:name>/case-rules/", desk_rules.desk_rules, name="desk_rules"),
    path("flows/<slug:name>/case-rules/edit/", desk_rules.desk_rule, name="desk_rule"),
    path("flows/<slug:name>/slas/", slas.slas, name="slas"),
    path("flows/<slug:name>/slas/edit/", slas.sla, name="sla"),
    path("flows/<slug:name>/calendars/edit/", slas.calendar, name="calendar"),
    path("tasks/", task_lists.tasks, name="tasks"),
    path("tasks/take/", task_taking.many, {"verb": "take"}, name="take_tasks"),
    path("tasks/release/", task_taking.many, {"verb": "release"}, name="release_tasks"),
    path("tasks/give/", task_taking.many, {"verb": "give"}, name="give_tasks"),
    path("tasks/place/", task_taking.place, name="place_task"),
    path("tasks/choose/", task_taking.choose, name="choose_tasks"),
    path("tasks/absences/", absences.absences, name="absences"),
    path("tasks/mails/", task_mails.mails, name="task_mails"),
    path("devices/", offline_devices.devices, name="devices"),
    path("devices/<int:device>/", offline_devices.device, name="device"),
    path("devices/<int:device>/<slug:verb>/", offline_devices.operate, name="operate_device"),
    path("offline/", offline.start, name="offline"),
    path("offline/worker.js", offline.worker, name="offline_worker"),
    path("offline/styles.css", offline.styles, name="offline_styles"),
    path("offline/manifest.webmanifest", offline.manifest, name="offline_manifest"),
    path("offline/sync/", offline.synchronize, name="offline_sync"),
    path("offline/unlock/", offline.unlock, name="offline_unlock"),
    path("offline/results/", offline.results, name="offline_results"),
    path("offline/away/", offline_departure.away, name="offline_away"),
    path("offline/desk/", offline_departure.desk, name="offline_desk"),
    path("offline/packages/<int:task>/", offline.package, name="offline_package"),
    path("offline/files/<int:task>/<slug:attribute>/", offline_files.file, name="offline_file"),
    path("offline/<slug:language>/", offline.app, name="offline_app"),
    path("messages/", task_messages.messages, name="messages"),
    path("messages/unread/", task_messages.unread, name="unread"),
    path("instances/<int:wid>/tasks/", selection.chosen, name="task_settings"),
    path("tasks/next/", task_taking.next_task, name="next_task"),
    path("tasks/<int:task>/", task_views.task, name="task"),
    path("tasks/<int:task>/<slug:verb>/", task_views.change, name="change_task"),
    path("tasks/<int:task>/files/<slug:attribute>/", task_files.file, name="task_file"),
    path("instances/<int:wid>/files/<slug:attribute>/", task_files.of_instance, name="instance_file"),
    path("instances/", instances.instances, name="instances"),
    path("live/instances/", instances.changes, name="live_instances"),
    path("instances/<int:wid>/", instance.instance, name="instance"),
    path("instances/<int:wid>.json", instance.raw, name="instance_json"),
    path("instances/<int:wid>/why/", reasons.why, name="why"),
    path("instances/<int:wid>/children/", children.children, name="children"),
    path("instances/<int:wid>/repair/", repair.repair, name="repair"),
    path("instances/<int:wid>/looks/", looks.look, name="look"),
    path("instances/<int:wid>/undo/", repair.undo, name="undo"),
    path("instances/<int:wid>/steps/", steps.find, name="steps"),
    path("instances/<int:wid>/steps/<int:seq>/", steps.step, name="step"),
    path("instances/<int:wid>/steps/<int:seq>.json", steps.raw, name="step_json"),
    path("instances/<int:wid>/cancel/", operate.cancel, name="cancel"),
    path("instances/<int:wid>/operate/<slug:operation>/", operations.operate, name="operate"),
    path("instances/<int:wid>/rematch/", operate.rematch, name="rematch"),
    path("instances/<int:wid>/hand-over/", moves.hand_over, name="hand_over"),
    path("moves/", moves.moves, name="moves"),
    path("moves/<uuid:move>/", moves.move, name="move"),
    path("moves/<uuid:move>/message/", moves.message, name="move_message"),
    path("bulk/", bulk.bulks, name="bulks"),
    path("bulk/new/", bulk.new, name="bulk_new"),
    path("bulk/<int:bulk>/", bulk.bulk, name="bulk"),
    path("views/", saved_views.views, name="views"),
    path("views/<int:saved_view>/delete/", saved_views.delete, name="delete_view"),
    path("alerts/", alerts.alerts, name="alerts"),
    path("alerts/<int:rule>/", alerts.alert, name="alert"),
    path("alerts/<int:rule>/change/", alerts.change, name="change_alert"),
    path("alerts/<int:rule>/<slug:verb>/", alerts.operate, name="operate_alert"),
    path("flows/<slug:name>/alerts/new/", alerts.define, name="define_alert"),
    path("flows/<slug:name>/webhooks/", webhooks.webhooks, name="webhooks"),
    path("flows/<slug:name>/webhooks/new/", webhooks.define, name="define_webhook"),
    path("webhooks/<int:hook>/", webhooks.webhook, name="webhook"),
    path("webhooks/<int:hook>/change/", webhooks.change, name="change_webhook"),
    path("webhooks/<int:hook>/<slug:verb>/", webhooks.operate, name="operate_webhook"),
    path("cases/", cases.cases, name="cases"),
    path("cases/reports/", case_reports.reports, name="case_reports"),
    path("cases/reports.<slug:ending>", case_reports.export, name="export_case_report"),
    path("cases/repair/", repair_many.repair_many, name="repair_many"),
    path("cases/next/", cases.next_case, name="next_case"),
    path("cases/<int:case>/draft/", drafts.draft, name="draft"),
    path("cases/delegations/", delegations.delegations, name="delegations"),
    path("cases/digests/", digests.digests, name="digests"),
    path("cases/approvals/", proposals.approvals, name="approvals"),
    path("cases/proposals/<int:proposal>/", proposals.proposal, name="proposal"),
    path("cases/proposals/<int:proposal>/<slug:verb>/", proposals.decide, name="decide"),
    path("cases/<int:case>/rule/", proposed_rules.proposed_rule, name="proposed_rule"),
    path("cases/<int:case>/files/", case_files.attach, name="attach_file"),
    path("cases/<int:case>/files/<int:file>/", case_files.download, name="case_file"),
    path("cases/<int:case>/files/<int:file>/remove/", case_files.remove, name="remove_file"),
    path("cases/<int:case>/<slug:verb>/", cases.change, name="change_case"),
    path("exceptions/", exceptions.exceptions, name="exceptions"),
    path("errors/", errors.errors, name="errors"),
    path("errors/<int:number>/", errors.error, name="error"),
    path("workers/", workers.workers, name="workers"),
    path("controls/", controls.controls, name="controls"),
    path("health/", health.health_page, name="health"),
    path("health/check/", health.check, name="check"),
    path("counted/", overview.counted_rows, name="counted"),
    path("live/flows/", overview.flows_part, name="live_flows"),
    path("live/flows/<slug:name>/", flow.changes, name="live_flow"),
    path("live/flows/<slug:name>/picture/", picture.picture_changes, name="live_picture"),
    path("live/flows/<slug:name>/diagram/", diagram.diagram_changes, name="live_diagram"),
    path("live/instances/<int:wid>/", instance.changes, name="live_instance"),
    path("api/v1/openapi.json", document.openapi, name="openapi_json"),
    path("api/v1/docs/", document.page_of_endpoints, name="api"),
    path("theme/", preferences.theme, name="theme"),
    path("tour/", preferences.tour, name="tour"),
    path("healthz", probes.healthz, name="healthz"),
    path("readyz", probes.readyz, name="readyz"),
    path("metrics", probes.metrics_page, name="metrics"),
]
