import assert from 'node:assert/strict'
import { test } from 'node:test'
import { germanFilter } from '../../../messages/de/tasks/filter.ts'
import { germanTasks } from '../../../messages/de/tasks/project-view.ts'
import { filterMessages } from '../../../messages/tasks/filter.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { checkFilter, listPropertyWords } from './check-filter.ts'
import type { FilterContext } from './filter-query.ts'
import { formatFilter } from './view-filter.ts'

/** A test with German texts, which are English for the other tests of this process. */
function germanTest(name: string, work: () => void): void {
  test(name, () => {
    const englishFilter = { ...filterMessages }
    const englishView = { ...projectViewMessages }
    Object.assign(filterMessages, germanFilter)
    Object.assign(projectViewMessages, germanTasks)
    try {
      work()
    } finally {
      Object.assign(filterMessages, englishFilter)
      Object.assign(projectViewMessages, englishView)
    }
  })
}

const status = (key: string, name: string, category: 'unstarted' | 'completed') => ({
  key,
  name,
  category,
  position: 0,
  color: '#000000',
})
const meaning: FilterContext = {
  statuses: [status('todo', 'Zu tun', 'unstarted'), status('done', 'Fertig', 'completed')],
  members: [{ id: `usr_${'1'.repeat(26)}`, name: 'Lena Vogt' }],
  tags: [{ id: `tag_${'1'.repeat(26)}`, name: 'launch' }],
  projects: [],
  me: `usr_${'1'.repeat(26)}`,
  today: '2026-11-20',
  now: () => Date.parse('2026-11-20T12:34:56Z'),
}
const read = (typed: string, context = meaning) => {
  const { filter, problem } = checkFilter(typed, context)
  return filter ? formatFilter(filter) : problem?.message
}

germanTest('takes the words of its chips in the language of the page, and English ones', () => {
  const typed: Readonly<Record<string, string>> = {
    'status:offen': 'status:open',
    '-Status:abgeschlossen,"Zu tun"': '-status:closed,"Zu tun"',
    'assignee:ich': 'assignee:me',
    'zuständig:"nicht zugewiesen"': 'assignee:none',
    'schlagwort:launch': 'tag:launch',
    'fällig:heute': 'due:today',
    'Fälligkeit:"nächste Woche"': 'due:nextweek',
    '-fällig:keine': 'due:any',
    'fällig:"innerhalb von 7 Tagen"': 'due:<7d',
    'priorität:hoch,dringend': 'priority:high,urgent',
    'übergeordnete:keine': 'parent:none',
    'erstellt:"in den letzten 7 Tagen"': 'created:<7d',
    'status:open assignee:me due:<7d -tag:launch': 'status:open assignee:me due:<7d -tag:launch',
  }
  for (const [text, filter] of Object.entries(typed)) assert.equal(read(text), filter, text)
})

germanTest('a status of the project wins over a word of the chips', () => {
  const statuses = [...meaning.statuses, status('offen', 'Offen', 'unstarted')]
  assert.equal(read('status:offen', { ...meaning, statuses }), 'status:offen')
})

germanTest('names properties and dates in the language of the page', () => {
  assert.equal(
    listPropertyWords().join(' '),
    'status zuständig priorität schlagwort fälligkeit beginn wiederholung blockiert schätzung erfasste übergeordnete projekt creator erstellt geändert erledigt',
  )
  for (const word of listPropertyWords())
    assert.doesNotMatch(read(`${word}:xyz`) ?? '', /keine Eigenschaft/, word)
  assert.match(
    read('fällig:nie') ?? '',
    /Freitag, 15\.12\., "in 2 Wochen", .* überfällig, heute, morgen, "diese Woche"/,
  )
})
