"""Calls every operation with the client of openapi-python-client, and checks the replies."""

import io
import os
from datetime import date
from typing import Any, TypeVar

from docket_client import AuthenticatedClient
from docket_client.api.account import get_me
from docket_client.api.attachments import (
    delete_attachment,
    download_attachment,
    get_attachment,
    list_task_attachments,
    upload_attachment,
)
from docket_client.api.changes import list_changes
from docket_client.api.comments import (
    bulk_comments,
    create_comment,
    delete_comment,
    get_comment,
    list_comments,
    list_task_comments,
    update_comment,
)
from docket_client.api.deliveries import get_delivery, list_webhook_deliveries, redeliver, replay_events, test_webhook
from docket_client.api.events import get_event_position, list_events
from docket_client.api.members import list_members
from docket_client.api.projects import get_project, list_projects
from docket_client.api.tags import bulk_tags, create_tag, delete_tag, get_tag, list_project_tags, update_tag
from docket_client.api.tasks import (
    bulk_tasks,
    complete_task,
    create_task,
    delete_task,
    get_task,
    list_project_tasks,
    list_tasks,
    restore_task,
    update_task,
)
from docket_client.api.time_entries import (
    bulk_time_entries,
    create_time_entry,
    delete_time_entry,
    get_time_entry,
    get_time_report,
    list_task_time_entries,
    list_time_entries,
    update_time_entry,
)
from docket_client.api.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_webhooks,
    rotate_webhook_secret,
    update_webhook,
)
from docket_client.models import (
    ApiError,
    BulkCommentCreate,
    BulkCommentDelete,
    BulkCommentsRequest,
    BulkTagCreate,
    BulkTagsRequest,
    BulkTagUpdate,
    BulkTaskCreate,
    BulkTasksRequest,
    BulkTaskUpdate,
    BulkTimeEntriesRequest,
    BulkTimeEntryCreate,
    BulkTimeEntryUpdate,
    CommentCreate,
    CommentUpdate,
    CustomFieldChanges,
    EventReplay,
    TagCreate,
    TagUpdate,
    Task,
    TaskCreate,
    TaskUpdate,
    TimeEntryCreate,
    TimeEntryUpdate,
    UploadAttachmentFilesBody,
    WebhookCreate,
    WebhookUpdate,
)
from docket_client.types import File, Response, Unset

T = TypeVar("T")
project_id = os.environ["DOCKET_PROJECT"]
docket = AuthenticatedClient(os.environ["DOCKET_URL"], token=os.environ["DOCKET_KEY"])


def ok(reply: Response[ApiError | T]) -> T:
    """The record of a successful reply."""
    assert reply.status_code < 300 and reply.parsed is not None, reply
    assert not isinstance(reply.parsed, ApiError), reply
    return reply.parsed


def done(reply: Response[Any]) -> None:
    assert reply.status_code == 204, reply


def assert_changed(before: Any, after: Any, **changes: object) -> None:
    """Nothing but the named fields has changed."""
    moving = {"version": None, "updated_at": None, "secret": None}
    assert {**after.to_dict(), **moving} == {**before.to_dict(), **moving, **changes}


me = ok(get_me.sync_detailed(client=docket))
projects = ok(list_projects.sync_detailed(client=docket, status="active"))
assert project_id in [project.id for project in projects.data]
assert ok(get_project.sync_detailed(project_id, client=docket)).prefix == "ENG"
members = ok(list_members.sync_detailed(client=docket, role=["owner", "admin"]))
assert len(members.data) == 2

tag = ok(create_tag.sync_detailed(project_id, client=docket, body=TagCreate("bug", color="#ef4444")))
renamed_tag = ok(update_tag.sync_detailed(tag.id, client=docket, body=TagUpdate(name="defect")))
assert_changed(tag, renamed_tag, name="defect")
assert ok(get_tag.sync_detailed(tag.id, client=docket)).color == "#ef4444"
assert len(ok(list_project_tags.sync_detailed(project_id, client=docket)).data) == 1
add_tag = BulkTagCreate("create", project_id, TagCreate("feature"))
recolor = BulkTagUpdate("update", tag.id, TagUpdate(color="#f59e0b"), updated_at=renamed_tag.updated_at)
bulk_of_tags = ok(bulk_tags.sync_detailed(client=docket, body=BulkTagsRequest([add_tag, recolor])))
assert_changed(renamed_tag, bulk_of_tags.results[1].data, color="#f59e0b")

fields = CustomFieldChanges.from_dict({"budget": 12345678.9, "team": "import", "done": False, "sites": ["a"]})
task = ok(
    create_task.sync_detailed(
        client=docket,
        idempotency_key="story-1",
        body=TaskCreate(
            project_id,
            "Ship the importer",
            description="In **two** steps.",
            priority="high",
            due_date=date(2027, 3, 31),
            estimate_seconds=7200,
            assignee_ids=[me.user.id],
            tag_ids=[tag.id],
            custom_fields=fields,
        ),
    )
)
assert task.custom_fields["budget"] == 12345678.9
first = get_task.sync_detailed(task.id, client=docket)
assert ok(first) == task
unchanged = get_task.sync_detailed(task.id, client=docket, if_none_match=first.headers["ETag"])
assert unchanged.status_code == 304
renamed = ok(update_task.sync_detailed(task.id, client=docket, body=TaskUpdate(title="Ship it")))
assert_changed(task, renamed, title="Ship it")
undated = ok(update_task.sync_detailed(task.id, client=docket, body=TaskUpdate(due_date=None)))
assert_changed(renamed, undated, due_date=None)
tried = update_task.sync_detailed(task.id, client=docket, dry_run=True, body=TaskUpdate(title="Only tried"))
assert ok(tried).title == "Only tried"

in_project = list_project_tasks.sync_detailed(
    project_id, client=docket, status_category=["backlog", "unstarted"], limit=1
)
assert ok(in_project).data == [undated]
assert ok(list_tasks.sync_detailed(client=docket, priority=["high", "urgent"])).data[0].id == task.id
assert ok(complete_task.sync_detailed(task.id, client=docket)).status_category == "completed"
done(delete_task.sync_detailed(task.id, client=docket))
restored = ok(restore_task.sync_detailed(task.id, client=docket))
assert restored.deleted_at is None
create = BulkTaskCreate("create", TaskCreate(project_id, "One of two"))
update = BulkTaskUpdate("update", task.id, TaskUpdate(priority="urgent"))
bulk = ok(bulk_tasks.sync_detailed(client=docket, body=BulkTasksRequest([create, update])))
assert bulk.succeeded == 2
assert_changed(restored, bulk.results[1].data, priority="urgent")

comment = ok(create_comment.sync_detailed(task.id, client=docket, body=CommentCreate("Looks good.")))
assert ok(get_comment.sync_detailed(comment.id, client=docket)) == comment
edited = ok(update_comment.sync_detailed(comment.id, client=docket, body=CommentUpdate("Looks *good*.")))
assert edited.body == "Looks *good*."
assert len(ok(list_task_comments.sync_detailed(task.id, client=docket)).data) == 1
add_comment = BulkCommentCreate("create", task.id, CommentCreate("Merged."))
drop_comment = BulkCommentDelete("delete", comment.id, updated_at=edited.updated_at)
bulk_of_comments = bulk_comments.sync_detailed(client=docket, body=BulkCommentsRequest([add_comment, drop_comment]))
assert ok(bulk_of_comments).results[1].data is None
comments = ok(list_comments.sync_detailed(client=docket, author_id="me", project_id=[project_id])).data
assert [one.body for one in comments] == ["Merged."]
done(delete_comment.sync_detailed(comments[0].id, client=docket))

logged = TimeEntryCreate(duration_seconds=1800, note="Review", billable=True, spent_on=date(2026, 11, 2))
entry = ok(create_time_entry.sync_detailed(task.id, client=docket, body=logged))
assert ok(get_time_entry.sync_detailed(entry.id, client=docket)) == entry
noted = ok(update_time_entry.sync_detailed(entry.id, client=docket, body=TimeEntryUpdate(note="Again")))
assert_changed(entry, noted, note="Again")
assert ok(list_task_time_entries.sync_detailed(task.id, client=docket)).data == [noted]
add_entry = BulkTimeEntryCreate("create", task.id, TimeEntryCreate(duration_seconds=900, spent_on=date(2026, 11, 3)))
unbill = BulkTimeEntryUpdate("update", entry.id, TimeEntryUpdate(billable=False), updated_at=noted.updated_at)
bulk_of_entries = bulk_time_entries.sync_detailed(client=docket, body=BulkTimeEntriesRequest([add_entry, unbill]))
unbilled = ok(bulk_of_entries).results[1].data
assert_changed(noted, unbilled, billable=False)
assert unbilled in ok(list_time_entries.sync_detailed(client=docket, user_id="me", running=False)).data
report = ok(
    get_time_report.sync_detailed(
        client=docket,
        group_by=["tag", "day"],
        spent_after=date(2026, 11, 1),
        spent_before=date(2026, 12, 1),
    )
)
assert report.total.seconds == 2700 and report.total.billable_seconds == 0
assert [(row.tag_id, row.day) for row in report.rows] == [(tag.id, date(2026, 11, 2)), (tag.id, date(2026, 11, 3))]
assert isinstance(report.rows[0].task_id, Unset)
done(delete_time_entry.sync_detailed(entry.id, client=docket))

file = File(io.BytesIO(b"Runs on staging."), "notes.txt", "text/plain")
attachment = ok(upload_attachment.sync_detailed(task.id, client=docket, body=UploadAttachmentFilesBody(file)))
assert ok(get_attachment.sync_detailed(attachment.id, client=docket)) == attachment
assert ok(list_task_attachments.sync_detailed(task.id, client=docket)).data == [attachment]
content = ok(download_attachment.sync_detailed(attachment.id, client=docket))
assert content.payload.read() == b"Runs on staging."
done(delete_attachment.sync_detailed(attachment.id, client=docket))

webhook = ok(
    create_webhook.sync_detailed(
        client=docket,
        body=WebhookCreate(
            os.environ["DOCKET_RECEIVER"],
            ["task.created", "task.completed"],
            description="Staging",
            is_active=False,
        ),
    )
)
change = WebhookUpdate(description="Production")
described = ok(update_webhook.sync_detailed(webhook.id, client=docket, body=change))
assert_changed(webhook, described, description="Production")
assert not described.is_active
ok(update_webhook.sync_detailed(webhook.id, client=docket, body=WebhookUpdate(is_active=True)))
assert ok(get_webhook.sync_detailed(webhook.id, client=docket)).is_active
assert len(ok(list_webhooks.sync_detailed(client=docket, is_active=True)).data) == 1
assert ok(rotate_webhook_secret.sync_detailed(webhook.id, client=docket)).secret != webhook.secret
sent = ok(test_webhook.sync_detailed(webhook.id, client=docket))
assert ok(get_delivery.sync_detailed(sent.id, client=docket)).event_type == "webhook.test"
deliveries = list_webhook_deliveries.sync_detailed(
    webhook.id, client=docket, event_type=["webhook.test", "task.created"]
)
assert ok(deliveries).data[0].id == sent.id
ok(redeliver.sync_detailed(sent.id, client=docket))
events = ok(list_events.sync_detailed(client=docket, type_=["task.created", "task.updated"], limit=200))
event = events.data[0]
assert event.type_ == "task.created"
assert Task.from_dict(event.data.to_dict()).id == task.id
assert ok(get_event_position.sync_detailed(client=docket)).newest_sequence >= event.sequence
changes = ok(list_changes.sync_detailed(client=docket, types=["task"]))
assert task.id in [change.id for change in changes.data]
replay = EventReplay(from_sequence=event.sequence)
ok(replay_events.sync_detailed(webhook.id, client=docket, body=replay))
done(delete_webhook.sync_detailed(webhook.id, client=docket))
done(delete_tag.sync_detailed(tag.id, client=docket))
