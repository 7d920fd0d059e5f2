import '../../../styles/board.css'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { m } from '../../../messages/tasks.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Trouble } from '../../../ui/trouble.tsx'
import { PanelBeside } from '../../task/beside.tsx'
import { type Adding, AddingContext, type Place } from '../adding.ts'
import { Head } from '../head.tsx'
import { Layout } from '../layout.ts'
import { useListKeys } from '../list-keys.ts'
import type { ScreenProps } from '../list-screen.tsx'
import { MoreMenu } from '../more-menu.tsx'
import { NoneLeft, useParts } from '../parts.ts'
import { put, spotOf } from '../reorder.ts'
import { useScreen } from '../screen.ts'
import { useSiblings } from '../siblings.ts'
import { useTasks } from '../use-tasks.ts'
import { useBoardKeys } from './board-keys.ts'
import { BoardRows } from './board-rows.ts'
import { useCardDrag } from './card-drag.ts'
import { Column } from './column.tsx'
import { ColumnPicker } from './column-picker.tsx'
import { ColumnsContext } from './columns-context.ts'
import { columnsOf } from './columns-of.ts'
import { useKept } from './kept.ts'
import { useRecent } from './recent.ts'

/** A project as a board: slips in columns that are statuses, or priorities. */
export function BoardScreen({ view, look, open }: ScreenProps) {
  const screen = useScreen()
  const { project } = screen
  const { shown, error, retry } = useTasks(screen, view)
  const group = shown?.view.group ?? view.group
  const [kept, keep] = useKept(project.id, group)
  const [all, showAll] = useState(false)
  const recent = useRecent(screen, view)
  const [place, setPlace] = useState<Place>()
  const [, note] = useState(0)
  const rows = useMemo(() => new BoardRows(project.id, () => note((n) => n + 1)), [project.id])
  const adding = useMemo(
    (): Adding => ({ place, begin: setPlace, end: () => setPlace(undefined) }),
    [place],
  )
  const layout = useMemo(
    () =>
      new Layout(
        shown ? columnsOf(screen, group, shown.index, kept.folded, all ? undefined : recent) : [],
        true,
      ),
    [screen, group, shown, kept.folded, all, recent],
  )
  const move = useRef((_number: number, _from: string, _to: string): void => undefined)
  useEffect(() => {
    move.current = (number, from, to) => {
      const [section, other] = [from, to].map((key) =>
        layout.sections.find((one) => one.key === key),
      )
      if (!section || !other || from === to) return
      const last = other.lines.at(-1)
      const beside = last && { number: last.number, after: true }
      put(screen, view, number, spotOf(section, number), { key: to, beside })
    }
  })
  const names = layout.sections.map(({ key, label }) => `${key} ${label}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: cards render again when columns are called otherwise, not when they fill
  const columns = useMemo(
    () => ({
      columns: layout.sections.map(({ key, label }) => ({ key, label })),
      move: (number: number, from: string, to: string) => move.current(number, from, to),
    }),
    [names],
  )
  const grasp = useCardDrag({
    ...{ layout, byHand: view.sort === 'position' },
    drop: (number, from, to) => put(screen, view, number, from, to),
  })
  useListKeys({ screen, view, look, layout, adding, open })
  useParts()
  useBoardKeys(screen, view, layout)
  const board = useRef<HTMLDivElement>(null)
  const none = shown?.index.total === 0 && view.filter.length > 0
  return (
    <>
      <main className="paper on-desk" id="work">
        <AddingContext value={adding}>
          <Head
            {...{ view, look }}
            index={shown?.index}
            everything={() => layout.everything}
            more={<MoreMenu view={view} />}
          />
          {error && !shown && <Trouble error={error} onRetry={retry} />}
          {!shown && !error && <Skeleton rows={12} />}
          {none && (
            <Suspense>
              <NoneLeft view={view} look={look} />
            </Suspense>
          )}
          {shown && !none && (
            <ColumnsContext value={columns}>
              <ColumnPicker layout={layout} board={board} />
              <div className="board" ref={board} onPointerDown={grasp}>
                {layout.sections.map((section) => {
                  const { key, count, lines } = section
                  const fold = { ...kept.folded, [key]: !section.folded }
                  return (
                    <Column
                      key={key}
                      {...{ section, rows }}
                      limit={kept.limits[key]}
                      onFold={() => keep({ folded: fold })}
                      onLimit={(limit) => keep({ limits: withLimit(kept.limits, key, limit) })}
                      after={
                        count > lines.length && <Rest count={count} onAll={() => showAll(true)} />
                      }
                    />
                  )
                })}
              </div>
            </ColumnsContext>
          )}
        </AddingContext>
      </main>
      <PanelBeside shortId={open} siblings={useSiblings(layout, project, open)} />
    </>
  )
}

const Rest = ({ count, onAll }: { count: number; onAll: () => void }) => (
  <>
    {m.recent}{' '}
    <button type="button" className="link" onClick={onAll}>
      {m.showAll(count)}
    </button>
  </>
)

function withLimit(
  limits: Readonly<Record<string, number>>,
  key: string,
  limit: number | undefined,
) {
  const { [key]: _, ...rest } = limits
  return limit === undefined ? rest : { ...rest, [key]: limit }
}
