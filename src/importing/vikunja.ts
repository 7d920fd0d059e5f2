import { emptyRow, type Row } from '#resources/imports/row.ts'
import { elementsOf } from './elements.ts'
import { day, type Thing, text, thing, things } from './parts.ts'
import type { Read, Reader, Source } from './reading.ts'
import { textOf } from './text.ts'
import { Unreadable } from './unreadable.ts'
import { filesIn } from './zip.ts'

/** The ZIP that Vikunja gives a person of their data: projects with their tasks in `data.json`. */
export const readVikunja: Reader = async (source) => ({ rows: rowsIn(source) })

const DATA = 'data.json'

async function* rowsIn(source: Source): AsyncGenerator<Read> {
  for await (const { name, bytes } of filesIn(source)) {
    if (name === DATA) return yield* rowsOf(bytes())
  }
  throw new Unreadable(`The ZIP archive holds no ${DATA}.`)
}

async function* rowsOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Read> {
  let number = 0
  for await (const { value } of elementsOf(textOf(bytes, false))) {
    const project = thing(value)
    const buckets = new Map(things(project.buckets).map((one) => [text(one.id), text(one.title)]))
    for (const task of things(project.tasks)) {
      number += 1
      const status = buckets.get(text(task.bucket_id)) ?? null
      yield {
        row: { ...taskOf(task, number), project: text(project.title) ?? '', status },
        faults: [],
      }
    }
  }
}

const PRIORITIES: Row['priority'][] = ['none', 'low', 'medium', 'high', 'urgent', 'urgent']
const person = (one: Thing) => text(one.name) ?? text(one.username)

function taskOf(task: Thing, number: number): Row {
  const related = thing(task.related_tasks)
  const keysOf = (kind: string) => things(related[kind]).flatMap((one) => text(one.id) ?? [])
  return {
    ...emptyRow(number),
    key: text(task.id),
    title: text(task.title) ?? '',
    description: plain(text(task.description)),
    completed: task.done === true,
    priority: PRIORITIES[Number(task.priority)] ?? 'none',
    assignees: [...new Set(things(task.assignees).flatMap((one) => person(one) ?? []))],
    tags: [...new Set(things(task.labels).flatMap((one) => text(one.title) ?? []))],
    start_date: day(task.start_date),
    due_date: day(task.due_date),
    parent: keysOf('parenttask')[0] ?? null,
    blocked_by: keysOf('blocked'),
    comments: things(task.comments).map((one) => ({
      author: person(thing(one.author)),
      at: day(one.created),
      body: plain(text(one.comment)) ?? '',
    })),
  }
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }

/** Vikunja writes HTML: its text, with its paragraphs and the points of its lists. */
function plain(html: string | null): string | null {
  if (html === null || !/<\w|&\w/.test(html)) return html
  const words = html
    .replace(/<li\b[^<>]*>/gi, '\n- ')
    .replace(/<br\b[^<>]*>/gi, '\n')
    .replace(/<\/(?:p|h\d|ul|ol|pre|blockquote)>/gi, '\n\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|nbsp);/g, (all, name: string) => NAMED[name] ?? all)
    .replace(/&#39;/g, "'")
  return words.replace(/\n{3,}/g, '\n\n').trim() || null
}
