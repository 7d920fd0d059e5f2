import { addTasks } from '../../data/bulk-create.ts'
import { makeTag } from '../../data/tags.ts'
import { addTask, type NewTask } from '../../data/task-create.ts'
import type { Task } from '../../data/task-view.ts'
import { toast } from '../../data/toasts.ts'
import { m } from '../../messages/tasks.ts'
import { messageOf } from '../../ui/trouble.tsx'
import type { Place } from './adding.ts'
import { matches } from './filter-query.ts'
import { patchTo } from './groups.ts'
import { placeholderOf } from './new-task.ts'
import type { Chip } from './quick-add.ts'
import type { Screen } from './screen.ts'
import type { View } from './view.ts'

interface Where {
  screen: Screen
  view: View
  place: Place
}

/** Makes a task of what was typed, in the group in which it was typed. */
export async function create(where: Where, title: string, chips: readonly Chip[]): Promise<void> {
  const { screen } = where
  try {
    const body = bodyOf(where, title, chips, await tagsOf(screen, chips))
    const placeholder = placeholderOf(screen.project, screen.me, body)
    addTask(body, placeholder)
    tellLeftOut(where, placeholder)
  } catch (error) {
    toast({ text: messageOf(error), tone: 'trouble' })
  }
}

/** Makes a task of each line. */
export function createAll(where: Where, titles: readonly string[], label: string): void {
  const { project, me } = where.screen
  const made = titles.map((title) => {
    const body = bodyOf(where, title.slice(0, 500), [], [])
    return { body, placeholder: placeholderOf(project, me, body) }
  })
  addTasks(made, label)
}

function bodyOf(
  { screen, view, place }: Where,
  title: string,
  chips: readonly Chip[],
  tag_ids: readonly string[],
): NewTask {
  const { project, meaning } = screen
  const born = patchTo(view, place.group, meaning.today) ?? {}
  const who = chips.flatMap((chip) => (chip.kind === 'who' ? chip.id : []))
  const due = chips.find((chip) => chip.kind === 'due')
  const priority = chips.find((chip) => chip.kind === 'priority')
  const all = <T>(a: readonly T[] = [], b: readonly T[] = []) => [...new Set([...a, ...b])]
  const assignees = all(born.assignee_ids, who)
  const tags = all(born.tag_ids, tag_ids)
  return {
    ...{ project_id: project.id, title },
    ...(born.status && { status: born.status }),
    ...(born.due_date && { due_date: born.due_date }),
    ...(born.priority && { priority: born.priority }),
    ...(assignees.length > 0 && { assignee_ids: assignees }),
    ...(tags.length > 0 && { tag_ids: tags }),
    ...(due && { due_date: due.date }),
    ...(priority && { priority: priority.priority }),
    ...(place.parent && { parent_id: place.parent.id }),
  }
}

/** The tags of the chips; new ones are made first. */
const tagsOf = ({ project }: Screen, chips: readonly Chip[]): Promise<string[]> =>
  Promise.all(
    chips.flatMap((chip) => {
      if (chip.kind === 'tag') return chip.id
      return chip.kind === 'new tag' ? makeTag(project.id, chip.name).then(({ id }) => id) : []
    }),
  )

function tellLeftOut({ screen, view }: Where, task: Task): void {
  if (!matches(task, view.filter, screen.meaning)) toast({ text: m.leftOut(task.title) })
}
