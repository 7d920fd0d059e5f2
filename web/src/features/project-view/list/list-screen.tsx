import { Suspense, useCallback, useMemo, useState } from 'react'
import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { useMayLoadMore } from '../../../lib/browser/schedule-preload.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { TaskSidePanel } from '../../task-detail/index.ts'
import { TimerSlip } from '../../timer/index.ts'
import { resolveTargets, runCommand } from '../commands/run-command.tsx'
import * as commands from '../commands/task-commands.ts'
import { buildSections } from '../grouping/task-sections.ts'
import { FoundTasksContext } from '../grouping/use-found-tasks.ts'
import { useTasks } from '../grouping/use-tasks.ts'
import { MoreMenu } from '../header/more-menu.tsx'
import { ProjectHeader } from '../header/project-header.tsx'
import { ProjectStatusBar } from '../header/project-status-bar.tsx'
import { ListLayout } from '../layout/list-layout.ts'
import {
  LazyNoTasks,
  LazyRetainSelection,
  LazyTreegridKeys,
  usePreloadDeferred,
} from '../lazy/deferred-components.ts'
import { openFieldPicker, PICKER_FIELDS } from '../lazy/with-deferred.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import type { ViewControls } from '../project-view.ts'
import { useQuickAddState } from '../quick-add/new-task-target.ts'
import { QuickAddContext } from '../quick-add/quick-add-context.ts'
import { useSiblings } from '../selection/use-siblings.ts'
import { type ColumnSettings, readColumnSettings, saveColumnSettings } from './list-columns.ts'
import { TaskList } from './task-list.tsx'
import { useListKeys } from './use-list-keys.ts'

export interface ProjectScreenProps extends ViewControls {
  /** Short id of the task that is open beside the list. */
  open?: string
}

const NONE_FOLDED: ReadonlySet<string> = new Set()

/** The tasks of a project as a list. */
export function ListScreen({ view, setView, open }: ProjectScreenProps) {
  const context = useProjectPageContext()
  const { page, pageKey } = context
  const { list, found, loadMore, error, retry } = useTasks(context, view)
  const [folded, setFolded] = useState(NONE_FOLDED)
  const [columns, setColumns] = useState(() => readColumnSettings(page, pageKey))
  const { group } = view
  const adding = useQuickAddState(context, group)
  const { place } = adding
  const hasHeaders = group !== 'none'
  const layout = useMemo(
    () =>
      new ListLayout(
        list ? buildSections(context, group, list, folded, place?.group) : [],
        hasHeaders,
      ),
    [context, group, list, folded, place?.group, hasHeaders],
  )
  const siblings = useSiblings(layout, open)
  const onFold = useCallback(
    (key: string) =>
      setFolded((current) => {
        const next = new Set(current)
        if (!next.delete(key)) next.add(key)
        return next
      }),
    [],
  )
  const onColumns = useCallback(
    (next: ColumnSettings) => {
      saveColumnSettings(pageKey, next)
      setColumns(next)
    },
    [pageKey],
  )
  const onField = useCallback(
    (id: string, field: string, cell: HTMLElement) => {
      const task = getCachedTask(id)
      if (!task) return
      if (field === 'done') {
        const command = commands.toggleCompleted(context, task)
        if (command) runCommand(context, [id], command)
      } else {
        const pickerField = PICKER_FIELDS.find((one) => one === field)
        if (pickerField) openFieldPicker(context, pickerField, resolveTargets(context, id), cell)
      }
    },
    [context],
  )
  usePreloadDeferred()
  useListKeys({ context, view, setView, layout, adding, found, open })
  const mayLoadMore = useMayLoadMore()
  const isEmpty = list?.total === 0 && !place
  return (
    <>
      <main className="paper" id="work">
        <QuickAddContext value={adding}>
          <FoundTasksContext value={found}>
            <ProjectHeader
              {...{ view, setView }}
              list={list}
              more={<MoreMenu view={view} columns={{ shown: columns, change: onColumns }} />}
            />
            {context.page === 'mine' && <TimerSlip className="my-timer" />}
            {error !== undefined && <ErrorMessage error={error} onRetry={retry} />}
            {!list && error === undefined && (
              <div className="scroll">
                <Skeleton rows={18} />
              </div>
            )}
            {list && isEmpty && (
              <Suspense>
                <LazyNoTasks {...{ view, setView, list }} />
              </Suspense>
            )}
            {list && !isEmpty && (
              <TaskList {...{ view, layout, columns, onColumns, onFold, onField }} />
            )}
            {mayLoadMore && (
              <Suspense>
                <LazyTreegridKeys selection={context.selection} {...{ layout, onFold, onField }} />
              </Suspense>
            )}
            {mayLoadMore && (
              // Together they would load one after the other, and the keys would wait for both.
              <Suspense>
                <LazyRetainSelection layout={layout} list={list} />
              </Suspense>
            )}
            <ProjectStatusBar list={list} loadMore={loadMore} />
          </FoundTasksContext>
        </QuickAddContext>
      </main>
      <TaskSidePanel shortId={open} siblings={siblings} />
    </>
  )
}
