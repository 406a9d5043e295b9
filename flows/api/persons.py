"""Persons who perform tasks: settings, absences, messages and mails."""

from flows.capabilities.tasks import deadlines, message_mails

absences = deadlines.absences
active = deadlines.active_persons
delete_absence = deadlines.delete_absence
due_message_mails = message_mails.due_message_mails
keys = deadlines.person_keys
mark_messages_read = deadlines.mark_messages_read
messages = deadlines.messages
messages_to_mail = message_mails.messages_to_mail
queue_message_mail = message_mails.queue_message_mail
save_task_mail = message_mails.save_task_mail
seen = deadlines.person_seen
set_absence = deadlines.set_absence
set_settings = deadlines.set_task_settings
settings = deadlines.task_settings
start_with_settings = deadlines.start_with_settings
unread_messages = deadlines.unread_messages
work = deadlines.person_work
