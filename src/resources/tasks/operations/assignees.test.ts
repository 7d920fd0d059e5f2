import { addMember, removeMember } from '#resources/members/membership.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import {
  createTaskStep,
  patchTaskStep,
  validationFailedStep,
} from '#test/support/scenario/steps.ts'

const PATCH = 'PATCH /api/v1/tasks/{Task}'
const patch = (body: object, more?: Partial<ScenarioStep>) => patchTaskStep('Task', body, more)

scenario('sets, adds and removes assignees, and emits task.assigned only for new ones', [
  createTaskStep(
    'Task',
    { assignee_ids: ['{owner}'] },
    { events: ['task.created', 'task.assigned'] },
  ),
  validationFailedStep(
    PATCH,
    {
      title: '',
      add_assignee_ids: ['{member}', '{admin}'],
      remove_assignee_ids: ['{guest}', '{admin}'],
      tag_ids: [],
      add_tag_ids: [],
    },
    {
      title: 'too_short',
      'remove_assignee_ids[1]': 'conflicting_fields',
      add_tag_ids: 'conflicting_fields',
    },
  ),
  patch(
    { add_assignee_ids: ['{member}', '{owner}'], remove_assignee_ids: ['{guest}'] },
    {
      reply: { assignee_ids: ['{owner}', '{member}'] },
      events: [
        {
          type: 'task.assigned',
          changes: { assignee_ids: { from: ['{owner}'], to: ['{owner}', '{member}'] } },
        },
      ],
    },
  ),
  patch({ assignee_ids: ['{member}', '{owner}'] }, { events: [] }),
  patch({ assignee_ids: ['{guest}'] }, { events: ['task.assigned'] }),
  patch(
    { remove_assignee_ids: ['{guest}'] },
    {
      events: [{ type: 'task.updated', changes: { assignee_ids: { from: ['{guest}'], to: [] } } }],
    },
  ),
  patch(
    { assignee_ids: ['{admin}'], priority: 'low' },
    {
      events: [
        {
          type: 'task.updated',
          changes: {
            priority: { from: 'none', to: 'low' },
            assignee_ids: { from: [], to: ['{admin}'] },
          },
        },
        {
          type: 'task.assigned',
          changes: {
            priority: { from: 'none', to: 'low' },
            assignee_ids: { from: [], to: ['{admin}'] },
          },
        },
      ],
    },
  ),
  patch(
    { status: 'done', add_assignee_ids: ['{owner}'] },
    {
      events: ['task.completed', 'task.assigned'],
    },
  ),
])

scenario('removed members stay assigned, but cannot be assigned again', [
  createTaskStep(
    'Task',
    { assignee_ids: ['{member}'] },
    { events: ['task.created', 'task.assigned'] },
  ),
  patch(
    { title: 'Still theirs' },
    {
      prepare: (tx, known) => removeMember(tx, known.member ?? ''),
      reply: { assignee_ids: ['{member}'] },
    },
  ),
  patch({ assignee_ids: ['{member}', '{owner}'] }, { events: ['task.assigned'] }),
  patch({ remove_assignee_ids: ['{member}'] }),
  validationFailedStep(
    PATCH,
    { add_assignee_ids: ['{member}'] },
    { 'add_assignee_ids[0]': 'not_a_member' },
  ),
  patch(
    { add_assignee_ids: ['{member}'] },
    {
      prepare: (tx, known) =>
        addMember(tx, { user_id: known.member ?? '', name: 'Back', role: 'member' }),
      events: ['task.assigned'],
    },
  ),
])
