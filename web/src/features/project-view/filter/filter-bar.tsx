import { useRef } from 'react'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { Button } from '../../../ui/form/button.tsx'
import { useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { openOverlay } from '../../../ui/overlays/overlay-stack.ts'
import { LazyFilterEditor } from '../lazy/deferred-components.ts'
import {
  type ProjectPageContext,
  ProjectPageProvider,
  useProjectPageContext,
} from '../project-page-context.ts'
import type { EditedFilter } from './filter-editor.tsx'

/** The button that adds a condition to the filter (key `/`). */
export function FilterButton() {
  const context = useProjectPageContext()
  const button = useRef<HTMLButtonElement>(null)
  const open = () => button.current && openFilterEditor(context, button.current)
  useShortcuts('screen', projectViewMessages.filter, [
    { keys: '/', label: projectViewMessages.filter, run: open },
  ])
  return (
    <Button
      kind="plain"
      icon="plus"
      keys="/"
      className="filter"
      ref={button}
      aria-haspopup="dialog"
      onClick={open}
    >
      {projectViewMessages.filter}
    </Button>
  )
}

/** Opens the editor of the filter beside an element. */
export const openFilterEditor = (
  context: ProjectPageContext,
  anchor: Element,
  edited?: EditedFilter,
): (() => void) =>
  openOverlay({
    kind: 'sheet',
    anchor,
    label: projectViewMessages.filter,
    body: (close) => (
      <ProjectPageProvider value={context}>
        <LazyFilterEditor {...{ edited, close }} />
      </ProjectPageProvider>
    ),
  })
