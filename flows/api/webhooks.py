"""Webhooks: steps that are sent to other systems."""

from flows.capabilities.webhooks import api

delay = api.delay_webhook
delete = api.delete_webhook
deliveries = api.webhook_deliveries
due = api.due_webhooks
list = api.list_webhooks
queue_steps = api.queue_webhook_steps
read = api.read_webhook
remove_old_messages = api.remove_old_messages
resume = api.resume_webhook
save = api.save_webhook
send_test_message = api.send_test_message
steps = api.webhook_steps
