import './board-screen.css'
import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { TaskSidePanel } from '../../task-detail/index.ts'
import { dropTargetOf } from '../drag/drop-target.ts'
import { moveTask } from '../drag/move-task.ts'
import { useCardDrag } from '../drag/use-card-drag.ts'
import { formatCellKey, parseCellKey } from '../grouping/task-groups.ts'
import { MoreMenu } from '../header/more-menu.tsx'
import { ProjectHeader } from '../header/project-header.tsx'
import {
  LazyNoTasks,
  LazyRetainSelection,
  usePreloadDeferred,
} from '../lazy/deferred-components.ts'
import type { ProjectScreenProps } from '../list/list-screen.tsx'
import { useListKeys } from '../list/use-list-keys.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useQuickAddState } from '../quick-add/new-task-target.ts'
import { QuickAddContext } from '../quick-add/quick-add-context.ts'
import { useSiblings } from '../selection/use-siblings.ts'
import { BoardColumn } from './board-column.tsx'
import { BoardColumnsContext } from './board-columns-context.ts'
import { getLaneFoldKey } from './board-lanes.ts'
import { ColumnPicker } from './column-picker.tsx'
import { LaneRow } from './lane-row.tsx'
import { useBoard } from './use-board.ts'
import { useBoardKeys } from './use-board-keys.ts'
import { useBoardSettings } from './use-board-settings.ts'

/** The tasks of a project as a board: cards in columns by status or priority. */
export function BoardScreen({ view, setView, open }: ProjectScreenProps) {
  const context = useProjectPageContext()
  const [settings, updateSettings] = useBoardSettings(context.pageKey, view.group)
  const [showsAllCompleted, setShowsAllCompleted] = useState(false)
  const hasLanes = view.lanes !== 'none'
  const adding = useQuickAddState(context, view.group, ({ group, ...place }) => {
    // Outside of a lane, a new task goes to the lane of tasks without a value.
    const { column, lane = hasLanes ? 'none' : undefined } = parseCellKey(group)
    return { ...place, group: formatCellKey({ column, lane }) }
  })
  const { list, error, retry, columns, lanes, layout } = useBoard(context, view, {
    folded: settings.folded,
    showsAllCompleted,
    adding: adding.place?.group,
  })
  const move = useRef((_id: string, _from: string, _to: string): void => undefined)
  useEffect(() => {
    move.current = (id, from, to) => {
      const [section, other] = [from, to].map((key) =>
        layout.sections.find((one) => one.key === key),
      )
      if (!section || !other || from === to) return
      const last = other.lines.at(-1)
      const beside = last && { id: last.id, after: true }
      moveTask(context, view, id, dropTargetOf(section, id), { key: to, beside })
    }
  })
  const labels = [...columns, ...(lanes ?? [])]
    .map(({ key, label }) => `${key} ${label}`)
    .join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: cards render again when columns are renamed, not when their tasks change
  const columnTargets = useMemo(
    () => ({
      columns: columns.map(({ key, label }) => ({ key, label })),
      lanes: (lanes ?? []).map(({ key, label }) => ({ key, label })),
      move: (id: string, from: string, to: string) => move.current(id, from, to),
    }),
    [labels],
  )
  const startDrag = useCardDrag({
    layout,
    isManualOrder: view.sort === 'position',
    drop: (id, from, to) => void moveTask(context, view, id, from, to),
  })
  useListKeys({ context, view, setView, layout, adding, open })
  usePreloadDeferred()
  useBoardKeys(context, view, layout)
  const board = useRef<HTMLDivElement>(null)
  const toggleFold = (key: string, isFolded: boolean) =>
    updateSettings({ folded: { ...settings.folded, [key]: !isFolded } })
  const isFilteredEmpty = list?.total === 0 && view.filter.length > 0
  return (
    <>
      <main className="paper on-desk" id="work">
        <QuickAddContext value={adding}>
          <ProjectHeader {...{ view, setView }} list={list} more={<MoreMenu view={view} />} />
          {error !== undefined && <ErrorMessage error={error} onRetry={retry} />}
          {!list && error === undefined && <Skeleton rows={12} />}
          <Suspense>
            <LazyRetainSelection layout={layout} list={list} />
          </Suspense>
          {isFilteredEmpty && (
            <Suspense>
              <LazyNoTasks {...{ view, setView, list }} />
            </Suspense>
          )}
          {list && !isFilteredEmpty && (
            <BoardColumnsContext value={columnTargets}>
              <ColumnPicker
                columns={columns}
                board={board}
                onUnfold={(key) => toggleFold(key, true)}
              />
              <div
                className={lanes ? 'board lanes' : 'board'}
                ref={board}
                onPointerDown={startDrag}
              >
                <ColumnHeads hasLanes={hasLanes}>
                  {columns.map((section) => {
                    const { key, count, lines } = section
                    return (
                      <BoardColumn
                        key={key}
                        {...{ section, hasLanes, low: hasLanes }}
                        limit={settings.limits[key]}
                        onFold={() => toggleFold(key, section.folded)}
                        onLimit={(limit) =>
                          updateSettings({ limits: withLimit(settings.limits, key, limit) })
                        }
                        after={
                          count > lines.length && (
                            <RecentOnlyNote
                              count={count}
                              onAll={() => setShowsAllCompleted(true)}
                            />
                          )
                        }
                      />
                    )
                  })}
                </ColumnHeads>
                {lanes?.map((lane, at) => (
                  <LaneRow
                    key={lane.key}
                    {...{ lane, board }}
                    first={at < INITIAL_LANES}
                    onFold={() => toggleFold(getLaneFoldKey(lane.key), lane.folded)}
                  />
                ))}
              </div>
            </BoardColumnsContext>
          )}
        </QuickAddContext>
      </main>
      <TaskSidePanel shortId={open} siblings={useSiblings(layout, open)} />
    </>
  )
}

const INITIAL_LANES = 3

/** With lanes, the column headers are in a row above all of them. */
const ColumnHeads = ({ hasLanes, children }: { hasLanes: boolean; children: ReactNode }) =>
  hasLanes ? <div className="cols">{children}</div> : children

const RecentOnlyNote = ({ count, onAll }: { count: number; onAll: () => void }) => (
  <>
    {viewMessages.recent}{' '}
    <button type="button" className="link" onClick={onAll}>
      {viewMessages.showAll(count)}
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
