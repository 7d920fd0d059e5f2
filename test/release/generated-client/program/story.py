"""Calls operations of each kind with the client of openapi-python-client, and checks the replies."""

import io
import os
from datetime import date
from typing import Any, TypeVar

from docket_client import AuthenticatedClient
from docket_client.api.account import get_me
from docket_client.api.attachments import delete_attachment, download_attachment, upload_attachment
from docket_client.api.changes import list_changes
from docket_client.api.events import list_events
from docket_client.api.tags import create_tag
from docket_client.api.tasks import bulk_tasks, create_task, get_task, list_project_tasks, update_task
from docket_client.api.time_entries import create_time_entry, get_time_report
from docket_client.models import (
    ApiError,
    BulkTaskCreate,
    BulkTasksRequest,
    BulkTaskUpdate,
    CustomFieldChanges,
    Operation,
    TagCreate,
    Task,
    TaskCreate,
    TaskUpdate,
    TimeEntryCreate,
    UploadAttachmentFilesBody,
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


def written(reply: Response[ApiError | Operation | T]) -> T:
    """The record of a successful write, which nobody had to allow first."""
    assert reply.status_code < 300 and reply.parsed is not None, reply
    assert not isinstance(reply.parsed, ApiError | Operation), reply
    return reply.parsed


def done(reply: Response[Any]) -> None:
    assert reply.status_code == 204, reply


def assert_changed(before: Any, after: Any, **changes: object) -> None:
    """Nothing but the named fields has changed."""
    moving = {"version": None, "updated_at": None, "secret": None}
    assert {**after.to_dict(), **moving} == {**before.to_dict(), **moving, **changes}


me = ok(get_me.sync_detailed(client=docket))
tag = written(create_tag.sync_detailed(project_id, client=docket, body=TagCreate("bug", color="#ef4444")))
fields = CustomFieldChanges.from_dict({"budget": 12345678.9, "team": "import", "done": False, "sites": ["a"]})
task = written(
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
renamed = written(update_task.sync_detailed(task.id, client=docket, body=TaskUpdate(title="Ship it")))
assert_changed(task, renamed, title="Ship it")
undated = written(update_task.sync_detailed(task.id, client=docket, body=TaskUpdate(due_date=None)))
assert_changed(renamed, undated, due_date=None)
tried = update_task.sync_detailed(task.id, client=docket, dry_run=True, body=TaskUpdate(title="Only tried"))
assert written(tried).title == "Only tried"

in_project = list_project_tasks.sync_detailed(
    project_id, client=docket, status_category=["backlog", "unstarted"], limit=1
)
assert ok(in_project).data == [undated]
create = BulkTaskCreate("create", TaskCreate(project_id, "One of two"))
update = BulkTaskUpdate("update", task.id, TaskUpdate(priority="urgent"))
bulk = written(bulk_tasks.sync_detailed(client=docket, body=BulkTasksRequest([create, update])))
assert bulk.succeeded == 2
assert_changed(undated, bulk.results[1].data, priority="urgent")

logged = TimeEntryCreate(duration_seconds=1800, note="Review", billable=True, spent_on=date(2026, 11, 2))
written(create_time_entry.sync_detailed(task.id, client=docket, body=logged))
report = ok(
    get_time_report.sync_detailed(
        client=docket,
        group_by=["tag", "day"],
        spent_after=date(2026, 11, 1),
        spent_before=date(2026, 12, 1),
    )
)
assert [(row.tag_id, row.day) for row in report.rows] == [(tag.id, date(2026, 11, 2))]
assert isinstance(report.rows[0].task_id, Unset)

file = File(io.BytesIO(b"Runs on staging."), "notes.txt", "text/plain")
attachment = ok(upload_attachment.sync_detailed(task.id, client=docket, body=UploadAttachmentFilesBody(file)))
content = ok(download_attachment.sync_detailed(attachment.id, client=docket))
assert content.payload.read() == b"Runs on staging."
done(delete_attachment.sync_detailed(attachment.id, client=docket))

events = ok(list_events.sync_detailed(client=docket, type_=["task.created", "task.updated"], limit=200))
event = events.data[0]
assert event.type_ == "task.created"
assert Task.from_dict(event.data.to_dict()).id == task.id
changes = ok(list_changes.sync_detailed(client=docket, types=["task"]))
assert task.id in [change.id for change in changes.data]
