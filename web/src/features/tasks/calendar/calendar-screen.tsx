import '../../../styles/plan.css'
import '../../../styles/calendar.css'
import { Suspense, useMemo, useState } from 'react'
import { m } from '../../../messages/views.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { PanelBeside } from '../../task/beside.tsx'
import { type Adding, AddingContext } from '../adding.ts'
import { Head } from '../head.tsx'
import { Layout } from '../layout.ts'
import { useListKeys } from '../list-keys.ts'
import type { ScreenProps } from '../list-screen.tsx'
import { MoreMenu } from '../more-menu.tsx'
import { NoneLeft, useParts } from '../parts.ts'
import { useReadOnly } from '../plan/read-only.ts'
import { Spans, WITH_SPANS } from '../plan/spans.ts'
import { useScreen } from '../screen.ts'
import { useSiblings } from '../siblings.ts'
import { useTasks } from '../use-tasks.ts'
import { openDay } from './day-sheet.tsx'
import { byDay, type Period, weeksAround } from './days.ts'
import { Month } from './month.tsx'

/** A project by due date: a month, or a week. */
export function CalendarScreen({ view, look, open }: ScreenProps) {
  const screen = useScreen()
  const { project, meaning } = screen
  const { shown, error, retry } = useTasks(screen, view, WITH_SPANS)
  const readOnly = useReadOnly()
  const [day, setDay] = useState(meaning.today)
  const [period, setPeriod] = useState<Period>('month')
  const { days, without } = useMemo(() => {
    const spans = new Spans(project.id, shown?.index ?? {})
    return shown ? byDay(shown.index, spans) : { days: NO_DAYS, without: [] }
  }, [project.id, shown])
  const weeks = weeksAround(day, period)
  const layout = useMemo(() => {
    const lines = weeksAround(day, period)
      .flat()
      .flatMap((one) => days.get(one) ?? [])
      .map((number) => ({ number, depth: 0 }))
    return new Layout([{ ...SECTION, label: m.calendarOf(project.name), lines }], false)
  }, [day, period, days, project.name])
  const adding = useMemo(
    (): Adding => ({
      place: undefined,
      begin: () => openDay({ screen, view, day, numbers: days.get(day) ?? [], adding: true }),
      end: () => undefined,
    }),
    [screen, view, day, days],
  )
  useParts()
  useListKeys({ screen, view, look, layout, adding, open })
  const empty = shown?.index.total === 0 && view.filter.length > 0
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
          {empty && (
            <Suspense>
              <NoneLeft view={view} look={look} />
            </Suspense>
          )}
          {shown && !empty && (
            <Month {...{ view, day, setDay, period, setPeriod, weeks, days, without, readOnly }} />
          )}
        </AddingContext>
      </main>
      <PanelBeside shortId={open} siblings={useSiblings(layout, project, open)} />
    </>
  )
}

const NO_DAYS = new Map<string, number[]>()
const SECTION = { key: 'all', count: 0, estimate: 0, spent: 0, folded: false, adding: false }
