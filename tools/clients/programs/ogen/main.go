// Calls every operation with the client of ogen, and checks the replies.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"time"

	ht "github.com/ogen-go/ogen/http"
	"github.com/ogen-go/ogen/ogenerrors"

	"example/docket"
)

var (
	ctx     = context.Background()
	project = os.Getenv("DOCKET_PROJECT")
)

// credentials authorizes by an API key alone.
type credentials struct{}

func (credentials) ApiKey(context.Context, docket.OperationName) (docket.ApiKey, error) {
	return docket.ApiKey{Token: os.Getenv("DOCKET_KEY")}, nil
}

func (credentials) OAuth(context.Context, docket.OperationName) (docket.OAuth, error) {
	return docket.OAuth{}, ogenerrors.ErrSkipClientSecurity
}

// as returns a reply as the type that an operation has for success.
func as[T any](reply any, err error) T {
	must(0, err)
	typed, isSuccess := reply.(T)
	check(isSuccess, fmt.Sprintf("%T %+v", reply, reply))
	return typed
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(isTrue bool, details ...any) {
	if !isTrue {
		panic(fmt.Sprint(details...))
	}
}

// checkChanged checks that nothing but the named fields has changed.
func checkChanged(before, after json.Marshaler, changes map[string]any) {
	want, got := fields(before), fields(after)
	for name, value := range changes {
		want[name] = value
	}
	check(reflect.DeepEqual(want, got), want, got)
}

func fields(record json.Marshaler) map[string]any {
	var all map[string]any
	must(0, json.Unmarshal(must(record.MarshalJSON()), &all))
	for _, moving := range []string{"version", "updated_at", "secret"} {
		delete(all, moving)
	}
	return all
}

func main() {
	c := must(docket.NewClient(os.Getenv("DOCKET_URL"), credentials{}))
	tryTags(c)
	task := tryTasks(c)
	tryComments(c, task.ID)
	tryTimeEntries(c, task.ID)
	tryAttachments(c, task.ID)
	tryWebhooks(c, task.ID)
}

func tryTags(c *docket.Client) {
	active := docket.ListProjectsParams{Status: docket.NewOptProjectStatus(docket.ProjectStatusActive)}
	check(len(as[*docket.ProjectPageHeaders](c.ListProjects(ctx, active)).Response.Data) > 0)
	one := as[*docket.ProjectHeaders](c.GetProject(ctx, docket.GetProjectParams{ID: project}))
	check(one.Response.Prefix == "ENG")
	roles := docket.ListMembersParams{Role: []docket.Role{docket.RoleOwner, docket.RoleAdmin}}
	check(len(as[*docket.MemberPageHeaders](c.ListMembers(ctx, roles)).Response.Data) == 2)

	input := &docket.TagCreate{Name: "bug", Color: docket.NewOptString("#ef4444")}
	tag := as[*docket.TagHeaders](c.CreateTag(ctx, input, docket.CreateTagParams{ID: project})).Response
	change := &docket.TagUpdate{Name: docket.NewOptString("defect")}
	renamed := as[*docket.UpdateTagOKHeaders](c.UpdateTag(ctx, change, docket.UpdateTagParams{ID: tag.ID}))
	checkChanged(&tag, &renamed.Response, map[string]any{"name": "defect"})
	read := as[*docket.GetTagOKHeaders](c.GetTag(ctx, docket.GetTagParams{ID: tag.ID}))
	check(read.Response.Color == "#ef4444")
	tags := as[*docket.TagPageHeaders](c.ListProjectTags(ctx, docket.ListProjectTagsParams{ID: project}))
	check(len(tags.Response.Data) == 1)
	as[*docket.DeleteTagNoContent](c.DeleteTag(ctx, docket.DeleteTagParams{ID: tag.ID}))
}

func tryTasks(c *docket.Client) docket.Task {
	me := as[*docket.MeHeaders](c.GetMe(ctx)).Response
	input := &docket.TaskCreate{
		ProjectID:       project,
		Title:           "Ship the importer",
		Description:     docket.NewOptNilString("In **two** steps."),
		Priority:        docket.NewOptTaskPriority(docket.TaskPriorityHigh),
		DueDate:         docket.NewOptNilDate(time.Date(2027, 3, 31, 0, 0, 0, 0, time.UTC)),
		EstimateSeconds: docket.NewOptNilInt32(7200),
		AssigneeIds:     []string{me.User.ID},
		CustomFields: docket.NewOptCustomFieldChanges(docket.CustomFieldChanges{
			"budget": docket.NewFloat64CustomFieldChange(12345678.9),
		}),
	}
	once := docket.CreateTaskParams{IdempotencyKey: docket.NewOptString("story-1")}
	task := as[*docket.TaskHeaders](c.CreateTask(ctx, input, once)).Response
	check(task.CustomFields["budget"].Float64 == 12345678.9)
	first := as[*docket.GetTaskOKHeaders](c.GetTask(ctx, docket.GetTaskParams{ID: task.ID}))
	checkChanged(&task, &first.Response, nil)
	same := docket.GetTaskParams{ID: task.ID, IfNoneMatch: first.ETag}
	as[*docket.GetTaskNotModified](c.GetTask(ctx, same))

	update := func(change docket.TaskUpdate, dryRun bool) docket.Task {
		params := docket.UpdateTaskParams{ID: task.ID, DryRun: docket.NewOptBool(dryRun)}
		return as[*docket.UpdateTaskOKHeaders](c.UpdateTask(ctx, &change, params)).Response
	}
	renamed := update(docket.TaskUpdate{Title: docket.NewOptString("Ship it")}, false)
	checkChanged(&task, &renamed, map[string]any{"title": "Ship it"})
	undated := update(docket.TaskUpdate{DueDate: docket.OptNilDate{Set: true, Null: true}}, false)
	checkChanged(&renamed, &undated, map[string]any{"due_date": nil})
	check(update(docket.TaskUpdate{Title: docket.NewOptString("Only tried")}, true).Title == "Only tried")

	open := as[*docket.TaskPageHeaders](c.ListProjectTasks(ctx, docket.ListProjectTasksParams{
		ID:             project,
		StatusCategory: []docket.StatusCategory{docket.StatusCategoryBacklog, docket.StatusCategoryUnstarted},
		Limit:          docket.NewOptInt32(1),
	}))
	checkChanged(&undated, &open.Response.Data[0], nil)
	priorities := docket.ListTasksParams{Priority: []docket.TaskPriority{docket.TaskPriorityHigh, docket.TaskPriorityUrgent}}
	check(as[*docket.TaskPageHeaders](c.ListTasks(ctx, priorities)).Response.Data[0].ID == task.ID)
	completed := as[*docket.UpdateTaskOKHeaders](c.CompleteTask(ctx, docket.CompleteTaskParams{ID: task.ID}))
	check(completed.Response.StatusCategory == docket.StatusCategoryCompleted)
	as[*docket.DeleteTaskNoContent](c.DeleteTask(ctx, docket.DeleteTaskParams{ID: task.ID}))
	restored := as[*docket.UpdateTaskOKHeaders](c.RestoreTask(ctx, docket.RestoreTaskParams{ID: task.ID})).Response
	check(restored.DeletedAt.IsNull())

	bulk := as[*docket.BulkTasksReplyHeaders](c.BulkTasks(ctx, &docket.BulkTasksRequest{
		Operations: []docket.BulkTaskOperation{
			docket.NewBulkTaskCreateBulkTaskOperation(docket.BulkTaskCreate{
				Op:   docket.BulkTaskCreateOpCreate,
				Data: docket.TaskCreate{ProjectID: project, Title: "One of two"},
			}),
			docket.NewBulkTaskUpdateBulkTaskOperation(docket.BulkTaskUpdate{
				Op:   docket.BulkTaskUpdateOpUpdate,
				ID:   task.ID,
				Data: docket.TaskUpdate{Priority: docket.NewOptTaskPriority(docket.TaskPriorityLow)},
			}),
		},
	}, docket.BulkTasksParams{})).Response
	check(bulk.Succeeded == 2)
	checkChanged(&restored, &bulk.Results[1].Data.Value, map[string]any{"priority": "low"})
	return task
}

func tryComments(c *docket.Client, task string) {
	input := &docket.CommentCreate{Body: "Looks good."}
	made := as[*docket.CreateCommentCreatedHeaders](c.CreateComment(ctx, input, docket.CreateCommentParams{ID: task}))
	id := made.Response.ID
	read := as[*docket.CommentHeaders](c.GetComment(ctx, docket.GetCommentParams{ID: id}))
	checkChanged(&made.Response, &read.Response, nil)
	change := &docket.CommentUpdate{Body: docket.NewOptString("Looks *good*.")}
	edited := as[*docket.UpdateCommentOKHeaders](c.UpdateComment(ctx, change, docket.UpdateCommentParams{ID: id}))
	check(edited.Response.Body == "Looks *good*.")
	all := as[*docket.CommentPageHeaders](c.ListTaskComments(ctx, docket.ListTaskCommentsParams{ID: task}))
	check(len(all.Response.Data) == 1)
	as[*docket.DeleteCommentNoContent](c.DeleteComment(ctx, docket.DeleteCommentParams{ID: id}))
}

func tryTimeEntries(c *docket.Client, task string) {
	input := &docket.TimeEntryCreate{
		DurationSeconds: docket.NewOptNilInt32(1800),
		Note:            docket.NewOptNilString("Review"),
		Billable:        docket.NewOptBool(true),
	}
	made := as[*docket.TimeEntryHeaders](c.CreateTimeEntry(ctx, input, docket.CreateTimeEntryParams{ID: task})).Response
	read := as[*docket.GetTimeEntryOKHeaders](c.GetTimeEntry(ctx, docket.GetTimeEntryParams{ID: made.ID}))
	checkChanged(&made, &read.Response, nil)
	change := &docket.TimeEntryUpdate{Note: docket.NewOptNilString("Again")}
	noted := as[*docket.UpdateTimeEntryOKHeaders](c.UpdateTimeEntry(ctx, change, docket.UpdateTimeEntryParams{ID: made.ID}))
	checkChanged(&made, &noted.Response, map[string]any{"note": "Again"})
	all := as[*docket.TimeEntryPageHeaders](c.ListTaskTimeEntries(ctx, docket.ListTaskTimeEntriesParams{ID: task}))
	check(len(all.Response.Data) == 1)
	as[*docket.DeleteTimeEntryNoContent](c.DeleteTimeEntry(ctx, docket.DeleteTimeEntryParams{ID: made.ID}))
}

func tryAttachments(c *docket.Client, task string) {
	form := &docket.UploadAttachmentReqMultipartFormData{
		File: ht.MultipartFile{Name: "notes.txt", File: strings.NewReader("Runs on staging.")},
	}
	made := as[*docket.UploadAttachmentCreatedHeaders](c.UploadAttachment(ctx, form, docket.UploadAttachmentParams{ID: task}))
	id := made.Response.ID
	read := as[*docket.AttachmentHeaders](c.GetAttachment(ctx, docket.GetAttachmentParams{ID: id}))
	checkChanged(&made.Response, &read.Response, nil)
	all := as[*docket.AttachmentPageHeaders](c.ListTaskAttachments(ctx, docket.ListTaskAttachmentsParams{ID: task}))
	check(len(all.Response.Data) == 1)
	file := as[*docket.DownloadAttachmentOKHeaders](c.DownloadAttachment(ctx, docket.DownloadAttachmentParams{ID: id}))
	check(string(must(io.ReadAll(file.Response.Data))) == "Runs on staging.")
	as[*docket.DeleteAttachmentNoContent](c.DeleteAttachment(ctx, docket.DeleteAttachmentParams{ID: id}))
}

func tryWebhooks(c *docket.Client, task string) {
	hook := as[*docket.WebhookHeaders](c.CreateWebhook(ctx, &docket.WebhookCreate{
		URL:         os.Getenv("DOCKET_RECEIVER"),
		Events:      []docket.WebhookEventType{"task.created", "task.completed"},
		Description: docket.NewOptNilString("Staging"),
		IsActive:    docket.NewOptBool(false),
	}, docket.CreateWebhookParams{})).Response
	update := func(change docket.WebhookUpdate) docket.Webhook {
		reply := as[*docket.UpdateWebhookOKHeaders](c.UpdateWebhook(ctx, &change, docket.UpdateWebhookParams{ID: hook.ID}))
		return reply.Response
	}
	described := update(docket.WebhookUpdate{Description: docket.NewOptNilString("Production")})
	checkChanged(&hook, &described, map[string]any{"description": "Production"})
	update(docket.WebhookUpdate{IsActive: docket.NewOptBool(true)})
	check(as[*docket.GetWebhookOKHeaders](c.GetWebhook(ctx, docket.GetWebhookParams{ID: hook.ID})).Response.IsActive)
	active := docket.ListWebhooksParams{IsActive: docket.NewOptBool(true)}
	check(len(as[*docket.WebhookPageHeaders](c.ListWebhooks(ctx, active)).Response.Data) == 1)
	rotation := docket.RotateWebhookSecretParams{ID: hook.ID}
	rotated := as[*docket.RotateWebhookSecretOKHeaders](c.RotateWebhookSecret(ctx, docket.OptWebhookSecretRotation{}, rotation))
	check(rotated.Response.Secret != hook.Secret)

	sent := as[*docket.DeliveryHeaders](c.TestWebhook(ctx, docket.TestWebhookParams{ID: hook.ID})).Response
	delivery := as[*docket.DeliveryDetailsHeaders](c.GetDelivery(ctx, docket.GetDeliveryParams{ID: sent.ID}))
	check(delivery.Response.EventType == "webhook.test")
	kinds := []docket.DeliveredEventType{"webhook.test", "task.created"}
	deliveries := as[*docket.DeliveryPageHeaders](c.ListWebhookDeliveries(ctx, docket.ListWebhookDeliveriesParams{ID: hook.ID, EventType: kinds}))
	check(deliveries.Response.Data[0].ID == sent.ID)
	as[*docket.DeliveryHeaders](c.Redeliver(ctx, docket.RedeliverParams{ID: sent.ID}))
	events := as[*docket.EventPageHeaders](c.ListEvents(ctx, docket.ListEventsParams{Type: []docket.EventType{"task.created", "task.updated"}}))
	event := events.Response.Data[0]
	check(event.Type == "task.created" && string(event.Data["id"]) == fmt.Sprintf("%q", task))
	position := as[*docket.EventPositionHeaders](c.GetEventPosition(ctx)).Response
	check(position.NewestSequence >= event.Sequence)
	changes := as[*docket.ChangePageHeaders](c.ListChanges(ctx, docket.ListChangesParams{Types: []docket.ChangeType{"task"}})).Response
	check(changes.Data[0].Type == "task")
	as[*docket.EventReplayResultHeaders](c.ReplayEvents(ctx, &docket.EventReplay{FromSequence: event.Sequence}, docket.ReplayEventsParams{ID: hook.ID}))
	as[*docket.DeleteWebhookNoContent](c.DeleteWebhook(ctx, docket.DeleteWebhookParams{ID: hook.ID}))
}
