import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.model.*;

/** Calls every operation with the Java client of openapi-generator, and checks the replies. */
public final class Story {
  private static final String PROJECT = System.getenv("DOCKET_PROJECT");
  private static final ApiClient CLIENT =
      new ApiClient()
          .setRequestInterceptor(
              request -> request.header("Authorization", "Bearer " + System.getenv("DOCKET_KEY")));

  public static void main(String[] args) throws Exception {
    CLIENT.updateBaseUri(System.getenv("DOCKET_URL"));
    tryTags();
    Task task = tryTasks();
    tryComments(task.getId());
    tryTimeEntries(task.getId());
    tryAttachments(task.getId());
    tryWebhooks(task.getId());
  }

  private static void check(boolean isTrue, Object... details) {
    if (!isTrue) throw new AssertionError(List.of(details));
  }

  /** Checks that nothing but the named fields has changed; null is the value of a cleared one. */
  private static void checkChanged(Object before, Object after, String field, Object value) {
    Map<String, Object> want = fieldsOf(before);
    if (field != null) want.put(field, value);
    check(want.equals(fieldsOf(after)), want, fieldsOf(after));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> fieldsOf(Object record) {
    Map<String, Object> fields = CLIENT.getObjectMapper().convertValue(record, Map.class);
    List.of("version", "updated_at", "secret").forEach(fields::remove);
    return fields;
  }

  private static void tryTags() throws ApiException {
    ProjectsApi projects = new ProjectsApi(CLIENT);
    var active = ProjectsApi.APIListProjectsRequest.newBuilder().status(ProjectStatus.ACTIVE);
    check(!projects.listProjects(active.build()).getData().isEmpty());
    check(projects.getProject(PROJECT, null).getPrefix().equals("ENG"));
    var roles = MembersApi.APIListMembersRequest.newBuilder().role(Set.of(Role.OWNER, Role.ADMIN));
    check(new MembersApi(CLIENT).listMembers(roles.build()).getData().size() == 2);

    TagsApi tags = new TagsApi(CLIENT);
    Tag tag = tags.createTag(PROJECT, new TagCreate().name("bug").color("#ef4444"), null, null);
    Tag renamed = tags.updateTag(tag.getId(), new TagUpdate().name("defect"), null, null, null);
    checkChanged(tag, renamed, "name", "defect");
    check(tags.getTag(tag.getId(), null).getColor().equals("#ef4444"));
    check(tags.listProjectTags(PROJECT, null, null, null, null).getData().size() == 1);
    BulkTagCreate create =
        new BulkTagCreate()
            .op(BulkTagCreate.OpEnum.CREATE)
            .projectId(PROJECT)
            .data(new TagCreate().name("feature"));
    BulkTagUpdate update =
        new BulkTagUpdate()
            .op(BulkTagUpdate.OpEnum.UPDATE)
            .id(tag.getId())
            .updatedAt(renamed.getUpdatedAt())
            .data(new TagUpdate().color("#f59e0b"));
    var operations = List.of(new BulkTagOperation(create), new BulkTagOperation(update));
    var bulk = tags.bulkTags(new BulkTagsRequest().operations(operations), null, null);
    checkChanged(renamed, bulk.getResults().get(1).getData(), "color", "#f59e0b");
    tags.deleteTag(tag.getId(), null, null, null);
  }

  private static Task tryTasks() throws ApiException {
    Me me = new AccountApi(CLIENT).getMe();
    TasksApi tasks = new TasksApi(CLIENT);
    TaskCreate input =
        new TaskCreate()
            .projectId(PROJECT)
            .title("Ship the importer")
            .description("In **two** steps.")
            .priority(TaskPriority.HIGH)
            .dueDate(LocalDate.parse("2027-03-31"))
            .estimateSeconds(7200)
            .assigneeIds(Set.of(me.getUser().getId()))
            .putCustomFieldsItem("budget", 12345678.9)
            .putCustomFieldsItem("team", "import")
            .putCustomFieldsItem("done", false);
    Task task = tasks.createTask(input, null, "story-1");
    String id = task.getId();
    check(task.getCustomFields().get("budget").equals(12345678.9));
    check(task.getCustomFields().get("done").equals(false));
    var first = tasks.getTaskWithHttpInfo(id, null);
    checkChanged(task, first.getData(), null, null);
    int status = 200;
    try {
      tasks.getTask(id, first.getHeaders().get("etag").get(0));
    } catch (ApiException unchanged) {
      status = unchanged.getCode();
    }
    check(status == 304, status);

    Task renamed = tasks.updateTask(id, new TaskUpdate().title("Ship it"), null, null, null);
    checkChanged(task, renamed, "title", "Ship it");
    Task undated = tasks.updateTask(id, new TaskUpdate().dueDate(null), null, null, null);
    checkChanged(renamed, undated, "due_date", null);
    Task tried = tasks.updateTask(id, new TaskUpdate().title("Only tried"), true, null, null);
    check(tried.getTitle().equals("Only tried"));

    var open =
        TasksApi.APIListProjectTasksRequest.newBuilder()
            .id(PROJECT)
            .statusCategory(Set.of(StatusCategory.BACKLOG, StatusCategory.UNSTARTED))
            .limit(1);
    checkChanged(undated, tasks.listProjectTasks(open.build()).getData().get(0), null, null);
    var urgent =
        TasksApi.APIListTasksRequest.newBuilder()
            .priority(Set.of(TaskPriority.HIGH, TaskPriority.URGENT));
    check(tasks.listTasks(urgent.build()).getData().get(0).getId().equals(id));
    Task completed = tasks.completeTask(id, null, null, null);
    check(completed.getStatusCategory() == StatusCategory.COMPLETED);
    tasks.deleteTask(id, null, null, null);
    Task restored = tasks.restoreTask(id, null, null, null);
    check(restored.getDeletedAt() == null);

    BulkTaskCreate create =
        new BulkTaskCreate()
            .op(BulkTaskCreate.OpEnum.CREATE)
            .data(new TaskCreate().projectId(PROJECT).title("One of two"));
    BulkTaskUpdate update =
        new BulkTaskUpdate()
            .op(BulkTaskUpdate.OpEnum.UPDATE)
            .id(id)
            .data(new TaskUpdate().priority(TaskPriority.LOW));
    var operations = List.of(new BulkTaskOperation(create), new BulkTaskOperation(update));
    var bulk = tasks.bulkTasks(new BulkTasksRequest().operations(operations), null, null);
    check(bulk.getSucceeded() == 2);
    checkChanged(restored, bulk.getResults().get(1).getData(), "priority", "low");
    return task;
  }

  private static void tryComments(String task) throws ApiException {
    CommentsApi comments = new CommentsApi(CLIENT);
    Comment comment =
        comments.createComment(task, new CommentCreate().body("Looks good."), null, null);
    String id = comment.getId();
    checkChanged(comment, comments.getComment(id, null), null, null);
    CommentUpdate change = new CommentUpdate().body("Looks *good*.");
    Comment edited = comments.updateComment(id, change, null, null, null);
    check(edited.getBody().equals("Looks *good*."));
    check(comments.listTaskComments(task, null, null, null, null, null).getData().size() == 1);
    BulkCommentCreate create =
        new BulkCommentCreate()
            .op(BulkCommentCreate.OpEnum.CREATE)
            .taskId(task)
            .data(new CommentCreate().body("Merged."));
    BulkCommentDelete delete =
        new BulkCommentDelete()
            .op(BulkCommentDelete.OpEnum.DELETE)
            .id(id)
            .updatedAt(edited.getUpdatedAt());
    var operations = List.of(new BulkCommentOperation(create), new BulkCommentOperation(delete));
    var bulk = comments.bulkComments(new BulkCommentsRequest().operations(operations), null, null);
    check(bulk.getResults().get(1).getData() == null);
    var mine =
        CommentsApi.APIListCommentsRequest.newBuilder().authorId("me").projectId(Set.of(PROJECT));
    List<Comment> left = comments.listComments(mine.build()).getData();
    check(left.size() == 1 && left.get(0).getBody().equals("Merged."));
    comments.deleteComment(left.get(0).getId(), null, null, null);
  }

  private static void tryTimeEntries(String task) throws ApiException {
    TimeEntriesApi entries = new TimeEntriesApi(CLIENT);
    TimeEntryCreate input =
        new TimeEntryCreate()
            .durationSeconds(1800)
            .note("Review")
            .billable(true)
            .spentOn(LocalDate.parse("2026-11-02"));
    TimeEntry entry = entries.createTimeEntry(task, input, null, null);
    String id = entry.getId();
    checkChanged(entry, entries.getTimeEntry(id, null), null, null);
    TimeEntryUpdate change = new TimeEntryUpdate().note("Again");
    TimeEntry noted = entries.updateTimeEntry(id, change, null, null, null);
    checkChanged(entry, noted, "note", "Again");
    var all = TimeEntriesApi.APIListTaskTimeEntriesRequest.newBuilder().id(task);
    check(entries.listTaskTimeEntries(all.build()).getData().size() == 1);
    BulkTimeEntryCreate create =
        new BulkTimeEntryCreate()
            .op(BulkTimeEntryCreate.OpEnum.CREATE)
            .taskId(task)
            .data(
                new TimeEntryCreate()
                    .durationSeconds(900)
                    .spentOn(LocalDate.parse("2026-11-03")));
    BulkTimeEntryUpdate update =
        new BulkTimeEntryUpdate()
            .op(BulkTimeEntryUpdate.OpEnum.UPDATE)
            .id(id)
            .updatedAt(noted.getUpdatedAt())
            .data(new TimeEntryUpdate().billable(false));
    var operations =
        List.of(new BulkTimeEntryOperation(create), new BulkTimeEntryOperation(update));
    var bulk =
        entries.bulkTimeEntries(new BulkTimeEntriesRequest().operations(operations), null, null);
    checkChanged(noted, bulk.getResults().get(1).getData(), "billable", false);
    var mine = TimeEntriesApi.APIListTimeEntriesRequest.newBuilder().userId("me").running(false);
    check(entries.listTimeEntries(mine.build()).getData().size() == 2);
    var november =
        TimeEntriesApi.APIGetTimeReportRequest.newBuilder()
            .groupBy(Set.of(TimeGroup.DAY))
            .spentAfter(LocalDate.parse("2026-11-01"))
            .spentBefore(LocalDate.parse("2026-12-01"));
    TimeReport report = entries.getTimeReport(november.build());
    check(report.getTotal().getSeconds() == 2700 && report.getRows().size() == 2);
    check(report.getRows().get(1).getDay().equals(LocalDate.parse("2026-11-03")));
    entries.deleteTimeEntry(id, null, null, null);
  }

  private static void tryAttachments(String task) throws Exception {
    AttachmentsApi attachments = new AttachmentsApi(CLIENT);
    Path file = Files.writeString(Path.of("notes.txt"), "Runs on staging.");
    Attachment attachment = attachments.uploadAttachment(task, file.toFile(), null, null);
    String id = attachment.getId();
    checkChanged(attachment, attachments.getAttachment(id, null), null, null);
    check(attachments.listTaskAttachments(task, null, null, null).getData().size() == 1);
    Path content = attachments.downloadAttachment(id, null, null, null).toPath();
    check(Files.readString(content).equals("Runs on staging."));
    attachments.deleteAttachment(id, null, null);
  }

  private static void tryWebhooks(String task) throws ApiException {
    WebhooksApi webhooks = new WebhooksApi(CLIENT);
    DeliveriesApi deliveries = new DeliveriesApi(CLIENT);
    WebhookCreate input =
        new WebhookCreate()
            .url(System.getenv("DOCKET_RECEIVER"))
            .events(Set.of(WebhookEventType.TASK_CREATED, WebhookEventType.TASK_COMPLETED))
            .description("Staging")
            .isActive(false);
    WebhookWithSecret webhook = webhooks.createWebhook(input, null, null);
    String id = webhook.getId();
    WebhookUpdate change = new WebhookUpdate().description("Production");
    Webhook described = webhooks.updateWebhook(id, change, null, null, null);
    checkChanged(webhook, described, "description", "Production");
    check(!described.getIsActive());
    webhooks.updateWebhook(id, new WebhookUpdate().isActive(true), null, null, null);
    check(webhooks.getWebhook(id, null).getIsActive());
    check(webhooks.listWebhooks(null, null, null, true).getData().size() == 1);
    WebhookWithSecret rotated = webhooks.rotateWebhookSecret(id, null, null);
    check(!rotated.getSecret().equals(webhook.getSecret()));

    Delivery sent = deliveries.testWebhook(id, null);
    check(deliveries.getDelivery(sent.getId()).getEventType().equals("webhook.test"));
    var ofWebhook =
        DeliveriesApi.APIListWebhookDeliveriesRequest.newBuilder()
            .id(id)
            .eventType(Set.of(DeliveredEventType.WEBHOOK_TEST, DeliveredEventType.TASK_CREATED));
    var page = deliveries.listWebhookDeliveries(ofWebhook.build());
    check(page.getData().get(0).getId().equals(sent.getId()));
    deliveries.redeliver(sent.getId(), null);
    var ofTasks =
        EventsApi.APIListEventsRequest.newBuilder()
            .type(Set.of(EventType.TASK_CREATED, EventType.TASK_UPDATED));
    Event event = new EventsApi(CLIENT).listEvents(ofTasks.build()).getData().get(0);
    check(event.getType().equals("task.created") && event.getData().get("id").equals(task));
    var position = new EventsApi(CLIENT).getEventPosition();
    check(position.getNewestSequence() >= event.getSequence());
    var changes = new ChangesApi(CLIENT).listChanges(ChangesApi.APIListChangesRequest.newBuilder().limit(500).build());
    check(changes.getData().stream().anyMatch(one -> one.getId().equals(task)));
    deliveries.replayEvents(id, new EventReplay().fromSequence(event.getSequence()), null);
    webhooks.deleteWebhook(id, null, null, null);
  }
}
