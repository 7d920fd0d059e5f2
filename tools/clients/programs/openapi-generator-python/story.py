"""Calls every operation with the Python client of openapi-generator, and checks the replies."""

import os
from datetime import date
from typing import Any

from docket_client import (
    AccountApi,
    ApiClient,
    AttachmentsApi,
    BulkTaskCreate,
    BulkTaskOperation,
    ChangesApi,
    ChangeType,
    BulkTasksRequest,
    BulkTaskUpdate,
    CommentCreate,
    CommentsApi,
    CommentUpdate,
    Configuration,
    CustomFieldChange,
    DeliveredEventType,
    DeliveriesApi,
    EventReplay,
    EventsApi,
    EventType,
    MembersApi,
    ProjectsApi,
    ProjectStatus,
    Role,
    StatusCategory,
    TagCreate,
    TagsApi,
    TagUpdate,
    TaskCreate,
    TaskPriority,
    TasksApi,
    TaskUpdate,
    TimeEntriesApi,
    TimeEntryCreate,
    TimeEntryUpdate,
    WebhookCreate,
    WebhookEventType,
    WebhooksApi,
    WebhookUpdate,
)
from docket_client.exceptions import ApiException

project_id = os.environ["DOCKET_PROJECT"]
config = Configuration(host=os.environ["DOCKET_URL"], access_token=os.environ["DOCKET_KEY"])
client = ApiClient(config)


def assert_changed(before: Any, after: Any, **changes: object) -> None:
    """Nothing but the named fields has changed."""
    moving = {"version": None, "updated_at": None, "secret": None}
    assert {**after.to_dict(), **moving} == {**before.to_dict(), **moving, **changes}


me = AccountApi(client).get_me()
projects = ProjectsApi(client)
assert project_id in [project.id for project in projects.list_projects(status=ProjectStatus.ACTIVE).data]
assert projects.get_project(project_id).prefix == "ENG"
members = MembersApi(client).list_members(role=[Role.OWNER, Role.ADMIN])
assert len(members.data) == 2

tags = TagsApi(client)
tag = tags.create_tag(project_id, TagCreate(name="bug", color="#ef4444"))
renamed_tag = tags.update_tag(tag.id, TagUpdate(name="defect"))
assert_changed(tag, renamed_tag, name="defect")
assert tags.get_tag(tag.id).color == "#ef4444"
assert len(tags.list_project_tags(project_id).data) == 1

tasks = TasksApi(client)
fields = {"budget": 12345678.9, "team": "import", "done": False, "sites": ["a", "b"]}
task = tasks.create_task(
    TaskCreate(
        project_id=project_id,
        title="Ship the importer",
        description="In **two** steps.",
        priority=TaskPriority.HIGH,
        due_date=date(2027, 3, 31),
        estimate_seconds=7200,
        assignee_ids=[me.user.id],
        tag_ids=[tag.id],
        custom_fields={name: CustomFieldChange(value) for name, value in fields.items()},
    ),
    idempotency_key="story-1",
)
read = task.to_dict()["custom_fields"]
assert read == fields and read["done"] is False, read
first = tasks.get_task_with_http_info(task.id)
assert first.data == task and first.headers
try:
    tasks.get_task(task.id, if_none_match=first.headers["etag"])
    raise AssertionError("The task has not changed")
except ApiException as unchanged:
    assert unchanged.status == 304
renamed = tasks.update_task(task.id, TaskUpdate(title="Ship it"))
assert_changed(task, renamed, title="Ship it")
undated = tasks.update_task(task.id, TaskUpdate(due_date=None))
assert_changed(renamed, undated, due_date=None)
assert tasks.update_task(task.id, TaskUpdate(title="Only tried"), dry_run=True).title == "Only tried"

categories = [StatusCategory.BACKLOG, StatusCategory.UNSTARTED]
in_project = tasks.list_project_tasks(project_id, status_category=categories, limit=1)
assert in_project.data == [undated]
urgent = tasks.list_tasks(priority=[TaskPriority.HIGH, TaskPriority.URGENT])
assert urgent.data[0].id == task.id
assert tasks.complete_task(task.id).status_category == StatusCategory.COMPLETED
tasks.delete_task(task.id)
restored = tasks.restore_task(task.id)
assert restored.deleted_at is None
create = BulkTaskCreate(op="create", data=TaskCreate(project_id=project_id, title="One of two"))
update = BulkTaskUpdate(op="update", id=task.id, data=TaskUpdate(priority=TaskPriority.LOW))
bulk = tasks.bulk_tasks(
    BulkTasksRequest(operations=[BulkTaskOperation(create), BulkTaskOperation(update)])
)
assert bulk.succeeded == 2
assert_changed(restored, bulk.results[1].data, priority="low")

comments = CommentsApi(client)
comment = comments.create_comment(task.id, CommentCreate(body="Looks good."))
assert comments.get_comment(comment.id) == comment
edited = comments.update_comment(comment.id, CommentUpdate(body="Looks *good*."))
assert edited.body == "Looks *good*."
assert len(comments.list_task_comments(task.id).data) == 1
comments.delete_comment(comment.id)

entries = TimeEntriesApi(client)
logged = TimeEntryCreate(duration_seconds=1800, note="Review", billable=True, spent_on=date(2026, 11, 2))
entry = entries.create_time_entry(task.id, logged)
assert entries.get_time_entry(entry.id) == entry
noted = entries.update_time_entry(entry.id, TimeEntryUpdate(note="Again"))
assert_changed(entry, noted, note="Again")
assert entries.list_task_time_entries(task.id).data == [noted]
entries.delete_time_entry(entry.id)

attachments = AttachmentsApi(client)
attachment = attachments.upload_attachment(task.id, ("notes.txt", b"Runs on staging."))
assert attachments.get_attachment(attachment.id) == attachment
assert attachments.list_task_attachments(task.id).data == [attachment]
assert attachments.download_attachment(attachment.id) == b"Runs on staging."
attachments.delete_attachment(attachment.id)

webhooks, deliveries = WebhooksApi(client), DeliveriesApi(client)
webhook = webhooks.create_webhook(
    WebhookCreate(
        url=os.environ["DOCKET_RECEIVER"],
        events=[WebhookEventType.TASK_DOT_CREATED, WebhookEventType.TASK_DOT_COMPLETED],
        description="Staging",
        is_active=False,
    )
)
described = webhooks.update_webhook(webhook.id, WebhookUpdate(description="Production"))
assert_changed(webhook, described, description="Production")
assert not described.is_active
webhooks.update_webhook(webhook.id, WebhookUpdate(is_active=True))
assert webhooks.get_webhook(webhook.id).is_active
assert len(webhooks.list_webhooks(is_active=True).data) == 1
assert webhooks.rotate_webhook_secret(webhook.id).secret != webhook.secret
sent = deliveries.test_webhook(webhook.id)
assert deliveries.get_delivery(sent.id).event_type == "webhook.test"
kinds = [DeliveredEventType.WEBHOOK_DOT_TEST, DeliveredEventType.TASK_DOT_CREATED]
assert deliveries.list_webhook_deliveries(webhook.id, event_type=kinds).data[0].id == sent.id
deliveries.redeliver(sent.id)
events = EventsApi(client).list_events(type=[EventType.TASK_DOT_CREATED, EventType.TASK_DOT_UPDATED])
event = events.data[0]
assert event.type == "task.created" and event.data["id"] == task.id
assert EventsApi(client).get_event_position().newest_sequence >= event.sequence
assert task.id in [change.id for change in ChangesApi(client).list_changes(types=[ChangeType.TASK]).data]
deliveries.replay_events(webhook.id, EventReplay(from_sequence=event.sequence))
webhooks.delete_webhook(webhook.id)
tags.delete_tag(tag.id)
