import '../../../styles/plan.css'
import { Suspense, useMemo, useState } from 'react'
import { m as t } from '../../../messages/tasks.ts'
import { m } from '../../../messages/views.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { PanelBeside } from '../../task/beside.tsx'
import { type Adding, AddingContext, type Place } from '../adding.ts'
import { Head } from '../head.tsx'
import { Layout, type Section } from '../layout.ts'
import { useListKeys } from '../list-keys.ts'
import type { ScreenProps } from '../list-screen.tsx'
import { MoreMenu } from '../more-menu.tsx'
import { NoneLeft, useParts } from '../parts.ts'
import { useReadOnly } from '../plan/read-only.ts'
import { Spans, WITH_SPANS } from '../plan/spans.ts'
import { useScreen } from '../screen.ts'
import { sectionsOf } from '../sections.ts'
import { useSiblings } from '../siblings.ts'
import { useTasks } from '../use-tasks.ts'
import { Timeline } from './timeline.tsx'

const NOTHING: ReadonlySet<string> = new Set()

/** A project as bars from start to due, in the groups of the list. */
export function TimelineScreen({ view, look, open }: ScreenProps) {
  const screen = useScreen()
  const { project } = screen
  const { shown, error, retry } = useTasks(screen, view, WITH_SPANS)
  const readOnly = useReadOnly()
  const [folded, fold] = useState(NOTHING)
  const [place, setPlace] = useState<Place>()
  const adding = useMemo(
    (): Adding => ({ place, begin: setPlace, end: () => setPlace(undefined) }),
    [place],
  )
  const group = shown?.view.group ?? view.group
  const { layout, spans, unplanned } = useMemo(() => {
    const spans = new Spans(project.id, shown?.index ?? {})
    const all = shown ? sectionsOf(screen, group, shown.index, folded, place?.group) : []
    const sections = all.map((section) => planned(section, spans))
    const filled = sections.filter(({ lines, adding }) => lines.length > 0 || adding)
    const layout = new Layout(filled, group !== 'none')
    const without = all.flatMap(({ lines }) => lines.filter(({ number }) => !spans.of(number)))
    return { layout, spans, unplanned: [...new Set(without.map(({ number }) => number))] }
  }, [project.id, screen, group, shown, folded, place?.group])
  const onFold = (key: string) =>
    fold((now) => {
      const next = new Set(now)
      if (!next.delete(key)) next.add(key)
      return next
    })
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
            more={<MoreMenu view={view} />}
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
            <Timeline of={shown.view} {...{ layout, spans, unplanned, readOnly, onFold }} />
          )}
        </AddingContext>
        {readOnly && <p className="plan-note">{m.readOnly}</p>}
        {shown && count > 0 && layout.everything.length === 0 && (
          <p className="plan-note" role="status">
            {m.nothingPlanned}
          </p>
        )}
        <span className="sr">{t.tasks(count)}</span>
      </main>
      <PanelBeside shortId={open} siblings={useSiblings(layout, project, open)} />
    </>
  )
}

/** A group without the tasks that have no day: these wait in the tray. */
function planned(section: Section, spans: Spans): Section {
  const lines = section.lines.filter(({ number }) => spans.of(number))
  return { ...section, lines, count: lines.length }
}
