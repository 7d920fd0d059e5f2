import { type ReactNode, Suspense } from 'react'
import type { ProjectIndex } from '../../data/project-index.ts'
import { useTitle } from '../../lib/title.ts'
import { m } from '../../messages/tasks.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { People } from '../../ui/person.tsx'
import { useAdding } from './adding.ts'
import { FilterBar } from './filter-bar.tsx'
import { useSelected } from './marks.ts'
import { firstStatus } from './new-task.ts'
import { BulkBar, SavedViews } from './parts.ts'
import { useScreen } from './screen.ts'
import type { View } from './view.ts'
import { ViewMenus } from './view-menus.tsx'
import { ViewTabs } from './view-tabs.tsx'

interface Props {
  view: View
  look: (change: Partial<View>) => void
  index: ProjectIndex | undefined
  /** Numbers of all tasks of the view. */
  everything: () => readonly number[]
  /** The menu of what else can be done. */
  more: ReactNode
}

/** The head of a project: what it is, how far it is, and how it is looked at. */
export function Head({ view, look, index, everything, more }: Props) {
  const screen = useScreen()
  const { project, boot, me, locked, marks } = screen
  useTitle(project.name)
  const selected = useSelected(marks)
  const { begin } = useAdding()
  const people = boot.members.map(({ id, name }) => ({ id, name, me: id === me }))
  return (
    <header className="head">
      <div className="head-top">
        <span className="gut">
          <b>{project.prefix}</b>
        </span>
        <h1>{project.name}</h1>
        <p className="say only-wide">
          {locked === undefined ? <Progress {...{ view, index }} /> : m.archived}
        </p>
        <div className="acts">
          <span className="only-wide">
            <People people={people} most={5} />
          </span>
          <Button
            kind="primary"
            className="only-wide"
            keys="c"
            reason={locked}
            onClick={() => begin({ group: firstGroup() })}
          >
            {m.newTask}
          </Button>
          <IconButton
            icon="gear"
            className="only-narrow"
            label={m.viewSheet}
            onClick={() => void import('./beyond.ts').then((it) => it.openViewSheet(screen))}
          />
        </div>
      </div>
      {selected.size > 0 ? (
        <Suspense fallback={<div className="head-bar bulk" />}>
          <BulkBar everything={everything} total={index?.total ?? 0} />
        </Suspense>
      ) : (
        <div className="head-bar">
          <span className="gut" />
          <ViewTabs view={view} look={look} />
          <FilterBar view={view} look={look} />
          <div className="acts end">
            <Suspense>
              <SavedViews view={view} />
            </Suspense>
            <ViewMenus view={view} look={look} />
            {more}
          </div>
        </div>
      )}
    </header>
  )

  function firstGroup(): string {
    if (view.group === 'status') return firstStatus(project) ?? ''
    return (
      index?.groups.find(({ numbers }) => numbers.length > 0)?.key ?? index?.groups[0]?.key ?? ''
    )
  }
}

function Progress({ view, index }: Pick<Props, 'view' | 'index'>) {
  const { project } = useScreen()
  const { task_counts: counts } = project
  // What is shown counts itself; what is known of the rest is from when the page was opened.
  const whole = view.filter.length === 0 && view.group === 'status' ? index : undefined
  const of = (category: string) =>
    (whole?.groups ?? [])
      .filter(({ key }) => project.statuses.find((one) => one.key === key)?.category === category)
      .reduce((sum, { count }) => sum + count, 0)
  const done = whole ? of('completed') : counts.completed
  const all = whole ? whole.total - of('canceled') : counts.total - counts.canceled
  if (all === 0) return null
  return m.progress(
    Math.floor((done / all) * 100),
    view.filter.length === 0 ? (index?.overdue ?? 0) : 0,
  )
}
