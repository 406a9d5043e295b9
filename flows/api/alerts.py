"""Alerts: rules, what they found, and their messages."""

from flows.capabilities.alerts import api, deliveries

acknowledge = api.acknowledge_alert
count = api.count_alerts
count_states = api.count_alert_states
delete_rule = api.delete_alert_rule
history = api.alert_history
list_rules = api.list_alert_rules
listed = api.listed_alert_rules
measure = api.measure_alert
measure_rule = api.measure_alert_rule
read_rule = api.read_alert_rule
remove_old = api.remove_old_alerts
save_rule = api.save_alert_rule
send_test = api.send_test_alert
settle_delivery = deliveries.settle_delivery
settle_rule = api.settle_alert_rule
silence = api.silence_alert
take_delivery = deliveries.take_delivery
take_rule = api.take_alert_rule
