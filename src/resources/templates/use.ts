import { invalid } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import { addDays, atWallTime, dayIn, isDay } from '#lib/days.ts'
import { activeMembersSeeing } from '#resources/members/seeing.ts'
import { refuseArchived } from '#resources/projects/load.ts'
import { tagsAmong } from '#resources/tasks/related.ts'
import { defaultStatus } from '#resources/tasks/rules/status.ts'
import { settingOf } from '#resources/tasks/setting.ts'
import { makeTree, type Seed } from '#resources/tasks/tree.ts'
import { blank } from '#resources/tasks/wish.ts'
import { fault } from '#wire/fault.ts'
import type { TemplateTask, useTemplate } from './internal.ts'
import type { FoundTemplate } from './load.ts'

/** Makes the tasks of a template, at the end of its project. */
export const make: Operation<typeof useTemplate, FoundTemplate> = async (
  tx,
  template,
  { body },
) => {
  const { project_id } = template
  const zone = tx.actor.workspace_timezone
  const { on = dayIn(zone, tx.now), title } = body
  const tasks = JSON.parse(template.tasks) as TemplateTask[]
  const setting = await settingOf(tx, project_id)
  if (!setting) throw new Error('A template of a project that is not there')
  const dayOf = (days: number | null) => {
    const day = days === null ? null : addDays(on, days)
    if (day === null || isDay(day)) return day
    throw invalid(fault('on', 'invalid_range', 'brings a day that is none between 1970 and 9999'))
  }
  const { key: status } = defaultStatus(setting.statuses)
  const people = new Set(tasks.flatMap(({ assignee_ids }) => assignee_ids))
  const seeing = await activeMembersSeeing(tx, project_id, [...people])
  const ids = [...new Set(tasks.flatMap(({ tag_ids }) => tag_ids))]
  const tags = new Set((await tx.all(tagsAmong, { project_id, ids })).map(({ id }) => id))
  const seeds = tasks.map((task, at): Seed => {
    const { description, priority, estimate_seconds, custom_fields, parent, blocked_by } = task
    const due_date = dayOf(task.due_in_days)
    return {
      core: {
        ...blank(at === 0 && title !== undefined ? title : task.title, status),
        ...{ description, priority, estimate_seconds, custom_fields, due_date },
        assignee_ids: task.assignee_ids.filter((id) => seeing.has(id)),
        tag_ids: task.tag_ids.filter((id) => tags.has(id)),
        start_date: dayOf(task.start_in_days),
        due_at:
          due_date === null || task.due_time === null
            ? null
            : atWallTime(due_date, zone, task.due_time),
      },
      ...{ parent, blocked_by },
    }
  })
  refuseArchived(setting)
  return makeTree(tx, setting, seeds, { parent_id: null })
}
