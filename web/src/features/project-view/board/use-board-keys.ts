import { getCachedTask } from '../../../data/tasks/task-store.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import { useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { dropTargetOf } from '../drag/drop-target.ts'
import { moveTask } from '../drag/move-task.ts'
import type { ListLayout, TaskSection } from '../layout/list-layout.ts'
import type { ProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { releaseFocus } from '../selection/cursor-focus.ts'
import { findSectionBeside } from './board-lanes.ts'

/**
 * Keyboard shortcuts of the board in addition to those of the list: go to the next column, or move
 * the card there.
 */
export function useBoardKeys(
  context: ProjectPageContext,
  view: ProjectView,
  layout: ListLayout,
): void {
  const { selection } = context
  const hasCursor = () => selection.cursor !== undefined
  const cursorSection = () =>
    layout.sections.findIndex((section) => indexInSection(section, selection.cursor) >= 0)
  const moveCursor = (by: -1 | 1) => {
    const at = cursorSection()
    const section = layout.sections[at]
    const other = findNextSection(layout, at, by, ({ lines }) => lines.length > 0)
    const index = section ? indexInSection(section, selection.cursor) : 0
    const line = other && (other.lines[index] ?? other.lines.at(-1))
    if (!line) return
    releaseFocus()
    selection.moveCursor(line.id)
  }
  const moveToColumn = (by: -1 | 1) => {
    const at = cursorSection()
    const [section, other] = [layout.sections[at], findNextSection(layout, at, by)]
    const id = selection.cursor
    if (!section || !other || id === undefined) return
    const sameIndex = other.lines[indexInSection(section, id)]
    const edge = sameIndex ?? other.lines.at(-1)
    const to = { key: other.key, beside: edge && { id: edge.id, after: !sameIndex } }
    if (moveTask(context, view, id, dropTargetOf(section, id), to))
      announce(projectViewMessages.moved(getCachedTask(id)?.short_id ?? '', other.label))
  }
  useShortcuts('part', viewMessages.keysBoard, [
    {
      keys: 'arrowright',
      label: viewMessages.nextColumn,
      repeats: true,
      run: () => moveCursor(1),
    },
    {
      keys: 'arrowleft',
      label: viewMessages.previousColumn,
      repeats: true,
      run: () => moveCursor(-1),
    },
    {
      keys: 'alt+arrowright',
      label: viewMessages.moveRight,
      when: hasCursor,
      run: () => void moveToColumn(1),
    },
    {
      keys: 'alt+arrowleft',
      label: viewMessages.moveLeft,
      when: hasCursor,
      run: () => void moveToColumn(-1),
    },
  ])
}

const indexInSection = ({ lines, folded }: TaskSection, id: string | undefined): number =>
  folded ? -1 : lines.findIndex((line) => line.id === id)

/** The next section in a direction that is not folded, where a card would be out of sight. */
function findNextSection(
  layout: ListLayout,
  at: number,
  by: -1 | 1,
  accepts: (section: TaskSection) => boolean = () => true,
): TaskSection | undefined {
  // Without a cursor the search starts at either end.
  const from = at < 0 && by < 0 ? layout.sections.length : at
  for (let step: number = by; ; step += by) {
    const section = at < 0 ? layout.sections[from + step] : findSectionBeside(layout, from, step)
    if (!section || (!section.folded && accepts(section))) return section
  }
}
