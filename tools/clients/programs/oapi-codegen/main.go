// Calls every operation with the client of oapi-codegen, and checks the replies.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"reflect"
	"time"

	"github.com/oapi-codegen/nullable"
	"github.com/oapi-codegen/runtime/types"

	"example/docket"
)

var (
	ctx     = context.Background()
	project = os.Getenv("DOCKET_PROJECT")
)

// response is what every generated reply has.
type response interface {
	StatusCode() int
	GetBody() []byte
}

// must returns the reply to a request that was sent.
func must[T any](reply T, err error) T {
	if err != nil {
		panic(err)
	}
	return reply
}

// record returns the parsed body of a reply, which is nil after an error.
func record[T any](body *T, reply response) T {
	check(body != nil, reply.StatusCode(), string(reply.GetBody()))
	return *body
}

func done(reply response) { check(reply.StatusCode() == http.StatusNoContent, reply.StatusCode()) }

func check(isTrue bool, details ...any) {
	if !isTrue {
		panic(fmt.Sprint(details...))
	}
}

// checkChanged checks that nothing but the named fields has changed.
func checkChanged(before, after any, changes map[string]any) {
	want, got := fields(before), fields(after)
	for name, value := range changes {
		want[name] = value
	}
	check(reflect.DeepEqual(want, got), want, got)
}

func fields(record any) map[string]any {
	var all map[string]any
	must(0, json.Unmarshal(must(json.Marshal(record)), &all))
	for _, moving := range []string{"version", "updated_at", "secret"} {
		delete(all, moving)
	}
	return all
}

func main() {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("DOCKET_KEY"))
		return nil
	}
	c := must(docket.NewClientWithResponses(os.Getenv("DOCKET_URL"), docket.WithRequestEditorFn(authorize)))
	tryTags(c)
	task := tryTasks(c)
	tryComments(c, task)
	tryTimeEntries(c, task)
	tryAttachments(c, task)
	tryWebhooks(c, task)
}

func tryTags(c *docket.ClientWithResponses) {
	active := docket.ProjectStatus("active")
	projects := must(c.ListProjectsWithResponse(ctx, &docket.ListProjectsParams{Status: &active}))
	check(len(record(projects.JSON200, projects).Data) > 0)
	one := must(c.GetProjectWithResponse(ctx, project, nil))
	check(record(one.JSON200, one).Prefix == "ENG")
	roles := []docket.Role{"owner", "admin"}
	members := must(c.ListMembersWithResponse(ctx, &docket.ListMembersParams{Role: &roles}))
	check(len(record(members.JSON200, members).Data) == 2)

	made := must(c.CreateTagWithResponse(ctx, project, nil, docket.TagCreate{Name: "bug", Color: new("#ef4444")}))
	tag := record(made.JSON201, made)
	renamed := must(c.UpdateTagWithResponse(ctx, tag.Id, nil, docket.TagUpdate{Name: new("defect")}))
	checkChanged(tag, record(renamed.JSON200, renamed), map[string]any{"name": "defect"})
	read := must(c.GetTagWithResponse(ctx, tag.Id, nil))
	check(record(read.JSON200, read).Color == "#ef4444")
	tags := must(c.ListProjectTagsWithResponse(ctx, project, nil))
	check(len(record(tags.JSON200, tags).Data) == 1)

	var create, update docket.BulkTagOperation
	must(0, create.FromBulkTagCreate(docket.BulkTagCreate{ProjectId: project, Data: docket.TagCreate{Name: "feature"}}))
	recolor := docket.TagUpdate{Color: new("#f59e0b")}
	must(0, update.FromBulkTagUpdate(docket.BulkTagUpdate{Id: tag.Id, UpdatedAt: &renamed.JSON200.UpdatedAt, Data: recolor}))
	operations := []docket.BulkTagOperation{create, update}
	bulk := must(c.BulkTagsWithResponse(ctx, nil, docket.BulkTagsRequest{Operations: operations}))
	recolored := record(bulk.JSON200, bulk).Results[1].Data.MustGet()
	checkChanged(*renamed.JSON200, recolored, map[string]any{"color": "#f59e0b"})
	done(must(c.DeleteTagWithResponse(ctx, tag.Id, nil)))
}

func tryTasks(c *docket.ClientWithResponses) docket.Task {
	me := must(c.GetMeWithResponse(ctx))
	var budget docket.CustomFieldChange
	must(0, budget.FromCustomFieldChange2(12345678.9))
	priority := docket.TaskPriority("high")
	created := must(c.CreateTaskWithResponse(ctx, &docket.CreateTaskParams{IdempotencyKey: new("story-1")}, docket.TaskCreate{
		ProjectId:       project,
		Title:           "Ship the importer",
		Description:     nullable.NewNullableWithValue("In **two** steps."),
		Priority:        &priority,
		DueDate:         nullable.NewNullableWithValue(types.Date{Time: time.Date(2027, 3, 31, 0, 0, 0, 0, time.UTC)}),
		EstimateSeconds: nullable.NewNullableWithValue[int32](7200),
		AssigneeIds:     &[]string{record(me.JSON200, me).User.Id},
		CustomFields:    &docket.CustomFieldChanges{"budget": &budget},
	}))
	task := record(created.JSON201, created)
	check(must(task.CustomFields["budget"].AsCustomFieldValue2()) == 12345678.9)
	first := must(c.GetTaskWithResponse(ctx, task.Id, nil))
	checkChanged(task, record(first.JSON200, first), nil)
	etag := first.HTTPResponse.Header.Get("ETag")
	unchanged := must(c.GetTaskWithResponse(ctx, task.Id, &docket.GetTaskParams{IfNoneMatch: &etag}))
	check(unchanged.StatusCode() == http.StatusNotModified, unchanged.Status())

	update := func(params *docket.UpdateTaskParams, change docket.TaskUpdate) docket.Task {
		reply := must(c.UpdateTaskWithResponse(ctx, task.Id, params, change))
		return record(reply.JSON200, reply)
	}
	renamed := update(nil, docket.TaskUpdate{Title: new("Ship it")})
	checkChanged(task, renamed, map[string]any{"title": "Ship it"})
	undated := update(nil, docket.TaskUpdate{DueDate: nullable.NewNullNullable[types.Date]()})
	checkChanged(renamed, undated, map[string]any{"due_date": nil})
	tried := update(&docket.UpdateTaskParams{DryRun: new(true)}, docket.TaskUpdate{Title: new("Only tried")})
	check(tried.Title == "Only tried")

	categories := []docket.StatusCategory{"backlog", "unstarted"}
	open := must(c.ListProjectTasksWithResponse(ctx, project, &docket.ListProjectTasksParams{StatusCategory: &categories, Limit: new(int32(1))}))
	checkChanged(undated, record(open.JSON200, open).Data[0], nil)
	priorities := []docket.TaskPriority{"high", "urgent"}
	urgent := must(c.ListTasksWithResponse(ctx, &docket.ListTasksParams{Priority: &priorities}))
	check(record(urgent.JSON200, urgent).Data[0].Id == task.Id)
	completed := must(c.CompleteTaskWithResponse(ctx, task.Id, nil))
	check(record(completed.JSON200, completed).StatusCategory == "completed")
	done(must(c.DeleteTaskWithResponse(ctx, task.Id, nil)))
	restored := must(c.RestoreTaskWithResponse(ctx, task.Id, nil))
	check(record(restored.JSON200, restored).DeletedAt.IsNull())
	bulk(c, *restored.JSON200)
	return *restored.JSON200
}

func bulk(c *docket.ClientWithResponses, task docket.Task) {
	var create, update docket.BulkTaskOperation
	must(0, create.FromBulkTaskCreate(docket.BulkTaskCreate{Data: docket.TaskCreate{ProjectId: project, Title: "One of two"}}))
	urgent := docket.TaskPriority("urgent")
	must(0, update.FromBulkTaskUpdate(docket.BulkTaskUpdate{Id: task.Id, Data: docket.TaskUpdate{Priority: &urgent}}))
	operations := []docket.BulkTaskOperation{create, update}
	reply := must(c.BulkTasksWithResponse(ctx, nil, docket.BulkTasksRequest{Operations: operations}))
	results := record(reply.JSON200, reply)
	check(results.Succeeded == 2)
	checkChanged(task, results.Results[1].Data.MustGet(), map[string]any{"priority": "urgent"})
}

func tryComments(c *docket.ClientWithResponses, task docket.Task) {
	made := must(c.CreateCommentWithResponse(ctx, task.Id, nil, docket.CommentCreate{Body: "Looks good."}))
	comment := record(made.JSON201, made)
	read := must(c.GetCommentWithResponse(ctx, comment.Id, nil))
	checkChanged(comment, record(read.JSON200, read), nil)
	edited := must(c.UpdateCommentWithResponse(ctx, comment.Id, nil, docket.CommentUpdate{Body: new("Looks *good*.")}))
	check(record(edited.JSON200, edited).Body == "Looks *good*.")
	comments := must(c.ListTaskCommentsWithResponse(ctx, task.Id, nil))
	check(len(record(comments.JSON200, comments).Data) == 1)

	var create, remove docket.BulkCommentOperation
	must(0, create.FromBulkCommentCreate(docket.BulkCommentCreate{TaskId: task.Id, Data: docket.CommentCreate{Body: "Merged."}}))
	must(0, remove.FromBulkCommentDelete(docket.BulkCommentDelete{Id: comment.Id, UpdatedAt: &edited.JSON200.UpdatedAt}))
	operations := []docket.BulkCommentOperation{create, remove}
	bulk := must(c.BulkCommentsWithResponse(ctx, nil, docket.BulkCommentsRequest{Operations: operations}))
	check(record(bulk.JSON200, bulk).Results[1].Data.IsNull())
	mine := &docket.ListCommentsParams{AuthorId: new("me"), ProjectId: &[]string{project}}
	listed := must(c.ListCommentsWithResponse(ctx, mine))
	left := record(listed.JSON200, listed).Data
	check(len(left) == 1 && left[0].Body == "Merged.")
	done(must(c.DeleteCommentWithResponse(ctx, left[0].Id, nil)))
}

func tryTimeEntries(c *docket.ClientWithResponses, task docket.Task) {
	made := must(c.CreateTimeEntryWithResponse(ctx, task.Id, nil, docket.TimeEntryCreate{
		DurationSeconds: nullable.NewNullableWithValue[int32](1800),
		Note:            nullable.NewNullableWithValue("Review"),
		Billable:        new(true),
		SpentOn:         november(2),
	}))
	entry := record(made.JSON201, made)
	read := must(c.GetTimeEntryWithResponse(ctx, entry.Id, nil))
	checkChanged(entry, record(read.JSON200, read), nil)
	change := docket.TimeEntryUpdate{Note: nullable.NewNullableWithValue("Again")}
	noted := must(c.UpdateTimeEntryWithResponse(ctx, entry.Id, nil, change))
	checkChanged(entry, record(noted.JSON200, noted), map[string]any{"note": "Again"})
	entries := must(c.ListTaskTimeEntriesWithResponse(ctx, task.Id, nil))
	check(len(record(entries.JSON200, entries).Data) == 1)

	var create, update docket.BulkTimeEntryOperation
	another := docket.TimeEntryCreate{DurationSeconds: nullable.NewNullableWithValue[int32](900), SpentOn: november(3)}
	must(0, create.FromBulkTimeEntryCreate(docket.BulkTimeEntryCreate{TaskId: task.Id, Data: another}))
	unbill := docket.TimeEntryUpdate{Billable: new(false)}
	must(0, update.FromBulkTimeEntryUpdate(docket.BulkTimeEntryUpdate{Id: entry.Id, UpdatedAt: &noted.JSON200.UpdatedAt, Data: unbill}))
	operations := []docket.BulkTimeEntryOperation{create, update}
	bulk := must(c.BulkTimeEntriesWithResponse(ctx, nil, docket.BulkTimeEntriesRequest{Operations: operations}))
	unbilled := record(bulk.JSON200, bulk).Results[1].Data.MustGet()
	checkChanged(*noted.JSON200, unbilled, map[string]any{"billable": false})
	mine := must(c.ListTimeEntriesWithResponse(ctx, &docket.ListTimeEntriesParams{UserId: new("me"), Running: new(false)}))
	check(len(record(mine.JSON200, mine).Data) == 2)
	groups := []docket.TimeGroup{"tag", "day"}
	params := &docket.GetTimeReportParams{GroupBy: &groups, SpentAfter: november(1), SpentBefore: november(30)}
	reported := must(c.GetTimeReportWithResponse(ctx, params))
	report := record(reported.JSON200, reported)
	check(report.Total.Seconds == 2700 && len(report.Rows) == 2, report)
	row := report.Rows[1]
	check(row.Day.Equal(november(3).Time) && row.TagId.IsNull() && row.TaskId == nil, row)
	done(must(c.DeleteTimeEntryWithResponse(ctx, entry.Id, nil)))
}

func november(day int) *types.Date {
	return &types.Date{Time: time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC)}
}

func tryAttachments(c *docket.ClientWithResponses, task docket.Task) {
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	must(must(writer.CreateFormFile("file", "notes.txt")).Write([]byte("Runs on staging.")))
	must(0, writer.Close())
	made := must(c.UploadAttachmentWithBodyWithResponse(ctx, task.Id, nil, writer.FormDataContentType(), &form))
	file := record(made.JSON201, made)
	read := must(c.GetAttachmentWithResponse(ctx, file.Id, nil))
	checkChanged(file, record(read.JSON200, read), nil)
	files := must(c.ListTaskAttachmentsWithResponse(ctx, task.Id, nil))
	check(len(record(files.JSON200, files).Data) == 1)
	content := must(c.DownloadAttachmentWithResponse(ctx, file.Id, nil))
	check(string(content.Body) == "Runs on staging.")
	done(must(c.DeleteAttachmentWithResponse(ctx, file.Id, nil)))
}

func tryWebhooks(c *docket.ClientWithResponses, task docket.Task) {
	made := must(c.CreateWebhookWithResponse(ctx, nil, docket.WebhookCreate{
		Url:         os.Getenv("DOCKET_RECEIVER"),
		Events:      []docket.WebhookEventType{"task.created", "task.completed"},
		Description: nullable.NewNullableWithValue("Staging"),
		IsActive:    new(false),
	}))
	hook := record(made.JSON201, made)
	change := docket.WebhookUpdate{Description: nullable.NewNullableWithValue("Production")}
	described := must(c.UpdateWebhookWithResponse(ctx, hook.Id, nil, change))
	checkChanged(hook, record(described.JSON200, described), map[string]any{"description": "Production"})
	must(c.UpdateWebhookWithResponse(ctx, hook.Id, nil, docket.WebhookUpdate{IsActive: new(true)}))
	read := must(c.GetWebhookWithResponse(ctx, hook.Id, nil))
	check(record(read.JSON200, read).IsActive)
	hooks := must(c.ListWebhooksWithResponse(ctx, &docket.ListWebhooksParams{IsActive: new(true)}))
	check(len(record(hooks.JSON200, hooks).Data) == 1)
	rotated := must(c.RotateWebhookSecretWithResponse(ctx, hook.Id, nil, docket.WebhookSecretRotation{}))
	check(record(rotated.JSON200, rotated).Secret != hook.Secret)
	tested := must(c.TestWebhookWithResponse(ctx, hook.Id, nil))
	sent := record(tested.JSON202, tested)
	delivery := must(c.GetDeliveryWithResponse(ctx, sent.Id))
	check(record(delivery.JSON200, delivery).EventType == "webhook.test")
	kinds := []docket.DeliveredEventType{"webhook.test", "task.created"}
	deliveries := must(c.ListWebhookDeliveriesWithResponse(ctx, hook.Id, &docket.ListWebhookDeliveriesParams{EventType: &kinds}))
	check(record(deliveries.JSON200, deliveries).Data[0].Id == sent.Id)
	again := must(c.RedeliverWithResponse(ctx, sent.Id, nil))
	check(again.StatusCode() == http.StatusAccepted, again.Status())

	types := []docket.EventType{"task.created", "task.updated"}
	events := must(c.ListEventsWithResponse(ctx, &docket.ListEventsParams{Type: &types}))
	event := record(events.JSON200, events).Data[0]
	check(event.Type == "task.created" && event.Data["id"] == task.Id)
	position := must(c.GetEventPositionWithResponse(ctx))
	check(record(position.JSON200, position).NewestSequence >= event.Sequence)
	ofTasks := []docket.ChangeType{"task"}
	changes := must(c.ListChangesWithResponse(ctx, &docket.ListChangesParams{Types: &ofTasks}))
	check(record(changes.JSON200, changes).Data[0].Type == "task")
	replay := docket.EventReplay{FromSequence: event.Sequence}
	replayed := must(c.ReplayEventsWithResponse(ctx, hook.Id, nil, replay))
	check(replayed.StatusCode() == http.StatusAccepted, replayed.Status())
	done(must(c.DeleteWebhookWithResponse(ctx, hook.Id, nil)))
}
