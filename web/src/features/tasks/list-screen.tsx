import { Suspense, useCallback, useMemo, useState } from 'react'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Trouble } from '../../ui/trouble.tsx'
import { PanelBeside } from '../task/beside.tsx'
import { act, targetsOf, taskAt } from './act.tsx'
import * as acts from './acts.ts'
import { type Adding, AddingContext, type Place } from './adding.ts'
import { type Columns, keepColumns, readColumns } from './columns.ts'
import { Head } from './head.tsx'
import { Layout } from './layout.ts'
import { TaskList } from './list.tsx'
import { useListKeys } from './list-keys.ts'
import { MoreMenu } from './more-menu.tsx'
import { NoneLeft, useParts } from './parts.ts'
import { FIELDS, openField } from './pickers.tsx'
import { useScreen } from './screen.ts'
import { sectionsOf } from './sections.ts'
import { useSiblings } from './siblings.ts'
import { Sums } from './sums.tsx'
import { useTasks } from './use-tasks.ts'
import type { View } from './view.ts'

export interface ScreenProps {
  view: View
  look: (change: Partial<View>) => void
  /** Short id of the task that is open beside it. */
  open?: string
}

const NOTHING: ReadonlySet<string> = new Set()

/** A project as a list. */
export function ListScreen({ view, look, open }: ScreenProps) {
  const screen = useScreen()
  const { project } = screen
  const { shown, error, retry } = useTasks(screen, view)
  const [folded, fold] = useState(NOTHING)
  const [place, setPlace] = useState<Place>()
  const [columns, setColumns] = useState(() => readColumns(project.id))
  const adding = useMemo(
    (): Adding => ({ place, begin: setPlace, end: () => setPlace(undefined) }),
    [place],
  )
  const headed = shown?.view.group !== 'none'
  const group = shown?.view.group ?? view.group
  const layout = useMemo(
    () =>
      new Layout(shown ? sectionsOf(screen, group, shown.index, folded, place?.group) : [], headed),
    [screen, group, shown, folded, place?.group, headed],
  )
  const siblings = useSiblings(layout, project, open)
  const onFold = useCallback(
    (key: string) =>
      fold((now) => {
        const next = new Set(now)
        if (!next.delete(key)) next.add(key)
        return next
      }),
    [],
  )
  const onColumns = useCallback(
    (next: Columns) => {
      keepColumns(project.id, next)
      setColumns(next)
    },
    [project.id],
  )
  const onField = useCallback(
    (number: number, field: string, cell: HTMLElement) => {
      const task = taskAt(screen, number)
      if (!task) return
      if (field === 'done') {
        const wish = acts.toggleDone(screen, task)
        if (wish) act(screen, [number], wish)
      } else {
        const known = FIELDS.find((one) => one === field)
        if (known) openField(screen, known, targetsOf(screen, number), cell)
      }
    },
    [screen],
  )
  useParts()
  useListKeys({ screen, view, look, layout, adding, open })
  const count = shown?.index.total ?? 0
  return (
    <>
      <main className="paper" id="work">
        <AddingContext value={adding}>
          <Head
            {...{ view, look }}
            index={shown?.index}
            everything={() => layout.everything}
            more={<MoreMenu view={view} columns={{ shown: columns, change: onColumns }} />}
          />
          {error && !shown && <Trouble error={error} onRetry={retry} />}
          {!shown && !error && (
            <div className="scroll">
              <Skeleton rows={18} />
            </div>
          )}
          {shown && count === 0 && !place && (
            <Suspense>
              <NoneLeft view={view} look={look} />
            </Suspense>
          )}
          {shown && (count > 0 || place) && (
            <TaskList of={shown.view} {...{ layout, columns, onColumns, onFold, onField }} />
          )}
          <Sums index={shown?.index} />
        </AddingContext>
      </main>
      <PanelBeside shortId={open} siblings={siblings} />
    </>
  )
}
