// Calls every operation with the Go client of openapi-generator, and checks the replies.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"

	"example/docket"
)

var (
	c       *docket.APIClient
	ctx     = context.WithValue(context.Background(), docket.ContextAccessToken, os.Getenv("DOCKET_KEY"))
	project = os.Getenv("DOCKET_PROJECT")
)

// ok returns the record of a successful reply.
func ok[T any](record T, _ *http.Response, err error) T {
	var failure *docket.GenericOpenAPIError
	if errors.As(err, &failure) {
		panic(string(failure.Body()))
	}
	must(0, err)
	return record
}

func done(_ *http.Response, err error) { must(0, err) }

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
	config := docket.NewConfiguration()
	config.Servers = docket.ServerConfigurations{{URL: os.Getenv("DOCKET_URL")}}
	c = docket.NewAPIClient(config)
	tryTags()
	task := tryTasks()
	tryComments(task)
	tryTimeEntries(task)
	tryAttachments(task)
	tryWebhooks(task)
}

func tryTags() {
	check(len(ok(c.ProjectsAPI.ListProjects(ctx).Status("active").Execute()).Data) > 0)
	check(ok(c.ProjectsAPI.GetProject(ctx, project).Execute()).Prefix == "ENG")
	members := ok(c.MembersAPI.ListMembers(ctx).Role([]docket.Role{"owner", "admin"}).Execute())
	check(len(members.Data) == 2)

	input := docket.TagCreate{Name: "bug", Color: new("#ef4444")}
	tag := ok(c.TagsAPI.CreateTag(ctx, project).TagCreate(input).Execute())
	change := docket.TagUpdate{Name: new("defect")}
	renamed := ok(c.TagsAPI.UpdateTag(ctx, tag.Id).TagUpdate(change).Execute())
	checkChanged(tag, renamed, map[string]any{"name": "defect"})
	check(ok(c.TagsAPI.GetTag(ctx, tag.Id).Execute()).Color == "#ef4444")
	check(len(ok(c.TagsAPI.ListProjectTags(ctx, project).Execute()).Data) == 1)
	done(c.TagsAPI.DeleteTag(ctx, tag.Id).Execute())
}

func tryTasks() string {
	me := ok(c.AccountAPI.GetMe(ctx).Execute())
	input := docket.NewTaskCreate(project, "Ship the importer")
	input.SetDescription("In **two** steps.")
	input.SetPriority(docket.TASKPRIORITY_HIGH)
	input.SetDueDate("2027-03-31")
	input.SetEstimateSeconds(7200)
	input.SetAssigneeIds([]string{me.User.Id})
	input.SetCustomFields(map[string]docket.CustomFieldChange{
		"budget": {Float64: new(12345678.9)},
		"team":   {String: new("import")},
		"done":   {Bool: new(false)},
	})
	task := ok(c.TasksAPI.CreateTask(ctx).TaskCreate(*input).IdempotencyKey("story-1").Execute())
	check(*task.CustomFields["budget"].Float64 == 12345678.9)
	check(!*task.CustomFields["done"].Bool)
	first, reply, err := c.TasksAPI.GetTask(ctx, task.Id).Execute()
	checkChanged(task, must(first, err), nil)
	_, unchanged, _ := c.TasksAPI.GetTask(ctx, task.Id).IfNoneMatch(reply.Header.Get("ETag")).Execute()
	check(unchanged.StatusCode == http.StatusNotModified, unchanged.Status)

	update := func(change *docket.TaskUpdate) *docket.Task {
		return ok(c.TasksAPI.UpdateTask(ctx, task.Id).TaskUpdate(*change).Execute())
	}
	title, date := docket.NewTaskUpdate(), docket.NewTaskUpdate()
	title.SetTitle("Ship it")
	renamed := update(title)
	checkChanged(task, renamed, map[string]any{"title": "Ship it"})
	date.SetDueDateNil()
	undated := update(date)
	checkChanged(renamed, undated, map[string]any{"due_date": nil})
	title.SetTitle("Only tried")
	tried := ok(c.TasksAPI.UpdateTask(ctx, task.Id).TaskUpdate(*title).DryRun(true).Execute())
	check(tried.Title == "Only tried")

	categories := []docket.StatusCategory{docket.STATUSCATEGORY_BACKLOG, docket.STATUSCATEGORY_UNSTARTED}
	open := ok(c.TasksAPI.ListProjectTasks(ctx, project).StatusCategory(categories).Limit(1).Execute())
	checkChanged(undated, open.Data[0], nil)
	urgent := ok(c.TasksAPI.ListTasks(ctx).Priority([]docket.TaskPriority{docket.TASKPRIORITY_HIGH, docket.TASKPRIORITY_URGENT}).Execute())
	check(urgent.Data[0].Id == task.Id)
	completed := ok(c.TasksAPI.CompleteTask(ctx, task.Id).Execute())
	check(completed.StatusCategory == docket.STATUSCATEGORY_COMPLETED)
	done(c.TasksAPI.DeleteTask(ctx, task.Id).Execute())
	restored := ok(c.TasksAPI.RestoreTask(ctx, task.Id).Execute())
	check(!restored.DeletedAt.IsSet() || restored.DeletedAt.Get() == nil)

	low := docket.NewTaskUpdate()
	low.SetPriority(docket.TASKPRIORITY_LOW)
	create := docket.NewBulkTaskCreate("create", *docket.NewTaskCreate(project, "One of two"))
	change := docket.NewBulkTaskUpdate("update", task.Id, *low)
	bulk := ok(c.TasksAPI.BulkTasks(ctx).BulkTasksRequest(*docket.NewBulkTasksRequest([]docket.BulkTaskOperation{
		docket.BulkTaskCreateAsBulkTaskOperation(create),
		docket.BulkTaskUpdateAsBulkTaskOperation(change),
	})).Execute())
	check(bulk.Succeeded == 2)
	checkChanged(restored, bulk.Results[1].Data.Get(), map[string]any{"priority": "low"})
	return task.Id
}

func tryComments(task string) {
	input := docket.CommentCreate{Body: "Looks good."}
	comment := ok(c.CommentsAPI.CreateComment(ctx, task).CommentCreate(input).Execute())
	checkChanged(comment, ok(c.CommentsAPI.GetComment(ctx, comment.Id).Execute()), nil)
	change := docket.CommentUpdate{Body: new("Looks *good*.")}
	edited := ok(c.CommentsAPI.UpdateComment(ctx, comment.Id).CommentUpdate(change).Execute())
	check(edited.Body == "Looks *good*.")
	check(len(ok(c.CommentsAPI.ListTaskComments(ctx, task).Execute()).Data) == 1)
	done(c.CommentsAPI.DeleteComment(ctx, comment.Id).Execute())
}

func tryTimeEntries(task string) {
	input := docket.TimeEntryCreate{Billable: new(true), SpentOn: new("2026-11-02")}
	input.SetDurationSeconds(1800)
	input.SetNote("Review")
	entry := ok(c.TimeEntriesAPI.CreateTimeEntry(ctx, task).TimeEntryCreate(input).Execute())
	checkChanged(entry, ok(c.TimeEntriesAPI.GetTimeEntry(ctx, entry.Id).Execute()), nil)
	var change docket.TimeEntryUpdate
	change.SetNote("Again")
	noted := ok(c.TimeEntriesAPI.UpdateTimeEntry(ctx, entry.Id).TimeEntryUpdate(change).Execute())
	checkChanged(entry, noted, map[string]any{"note": "Again"})
	check(len(ok(c.TimeEntriesAPI.ListTaskTimeEntries(ctx, task).Execute()).Data) == 1)
	done(c.TimeEntriesAPI.DeleteTimeEntry(ctx, entry.Id).Execute())
}

func tryAttachments(task string) {
	must(0, os.WriteFile("notes.txt", []byte("Runs on staging."), 0o600))
	file := must(os.Open("notes.txt"))
	attachment := ok(c.AttachmentsAPI.UploadAttachment(ctx, task).File(file).Execute())
	checkChanged(attachment, ok(c.AttachmentsAPI.GetAttachment(ctx, attachment.Id).Execute()), nil)
	check(len(ok(c.AttachmentsAPI.ListTaskAttachments(ctx, task).Execute()).Data) == 1)
	content := ok(c.AttachmentsAPI.DownloadAttachment(ctx, attachment.Id).Execute())
	check(string(must(io.ReadAll(content))) == "Runs on staging.")
	done(c.AttachmentsAPI.DeleteAttachment(ctx, attachment.Id).Execute())
}

func tryWebhooks(task string) {
	input := docket.WebhookCreate{
		Url:      os.Getenv("DOCKET_RECEIVER"),
		Events:   []docket.WebhookEventType{"task.created", "task.completed"},
		IsActive: new(false),
	}
	input.SetDescription("Staging")
	hook := ok(c.WebhooksAPI.CreateWebhook(ctx).WebhookCreate(input).Execute())
	var change docket.WebhookUpdate
	change.SetDescription("Production")
	described := ok(c.WebhooksAPI.UpdateWebhook(ctx, hook.Id).WebhookUpdate(change).Execute())
	checkChanged(hook, described, map[string]any{"description": "Production"})
	enable := docket.WebhookUpdate{IsActive: new(true)}
	ok(c.WebhooksAPI.UpdateWebhook(ctx, hook.Id).WebhookUpdate(enable).Execute())
	check(ok(c.WebhooksAPI.GetWebhook(ctx, hook.Id).Execute()).IsActive)
	check(len(ok(c.WebhooksAPI.ListWebhooks(ctx).IsActive(true).Execute()).Data) == 1)
	rotated := ok(c.WebhooksAPI.RotateWebhookSecret(ctx, hook.Id).Execute())
	check(rotated.GetSecret() != hook.GetSecret())

	sent := ok(c.DeliveriesAPI.TestWebhook(ctx, hook.Id).Execute())
	check(ok(c.DeliveriesAPI.GetDelivery(ctx, sent.Id).Execute()).EventType == "webhook.test")
	kinds := []docket.DeliveredEventType{"webhook.test", "task.created"}
	deliveries := ok(c.DeliveriesAPI.ListWebhookDeliveries(ctx, hook.Id).EventType(kinds).Execute())
	check(deliveries.Data[0].Id == sent.Id)
	ok(c.DeliveriesAPI.Redeliver(ctx, sent.Id).Execute())
	types := []docket.EventType{"task.created", "task.updated"}
	event := ok(c.EventsAPI.ListEvents(ctx).Type_(types).Execute()).Data[0]
	check(event.Type == "task.created" && event.Data["id"] == task)
	check(ok(c.EventsAPI.GetEventPosition(ctx).Execute()).NewestSequence >= event.Sequence)
	changes := ok(c.ChangesAPI.ListChanges(ctx).Types([]docket.ChangeType{"task"}).Execute())
	check(changes.Data[0].Type == "task")
	replay := docket.EventReplay{FromSequence: event.Sequence}
	ok(c.DeliveriesAPI.ReplayEvents(ctx, hook.Id).EventReplay(replay).Execute())
	done(c.WebhooksAPI.DeleteWebhook(ctx, hook.Id).Execute())
}
