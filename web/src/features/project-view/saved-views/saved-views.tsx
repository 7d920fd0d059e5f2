import './saved-views.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { toSavedViewSearch } from '../../../data/resources/saved-view-search.ts'
import {
  changeSavedView,
  fetchSavedViews,
  type SavedView,
  useSavedViews,
} from '../../../data/resources/saved-views.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { showErrorToast } from '../../../ui/feedback/error-message.tsx'
import { Button } from '../../../ui/form/button.tsx'
import { useShortcuts } from '../../../ui/keyboard/use-shortcuts.ts'
import { openOverlay } from '../../../ui/overlays/overlay-stack.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import type { ProjectView } from '../project-view.ts'
import { openSaveViewDialog } from './saved-view-dialogs.tsx'
import { differsFromSavedView, toSavedViewFields } from './saved-view-fields.ts'
import { getEditBlockReason } from './saved-view-permissions.ts'
import { buildSavedViewsMenu } from './saved-views-menu.ts'

/** The button for the saved views of a page; it shows the current one and opens a menu of all. */
export function SavedViews({ view }: { view: ProjectView }) {
  const context = useProjectPageContext()
  const project_id = context.project?.id ?? null
  const { saved } = useSearch({ strict: false })
  const navigate = useNavigate()
  const button = useRef<HTMLButtonElement>(null)
  const current = useSavedViews(project_id, saved !== undefined)?.find(({ id }) => id === saved)
  const hasChanges = current !== undefined && differsFromSavedView(current, view)
  const show = (one: SavedView) =>
    void navigate({
      to: '.',
      search: ({ task }) => ({ ...(task && { task }), ...toSavedViewSearch(one) }),
    })
  const update = () =>
    current && changeSavedView(current, toSavedViewFields(view), viewMessages.updated(current.name))
  const save = () => openSaveViewDialog(context, view, show)
  const open = async () => {
    try {
      const views = await fetchSavedViews(project_id)
      const anchor = button.current
      if (!anchor?.isConnected) return
      const sections = buildSavedViewsMenu({
        context,
        views,
        current,
        hasChanges,
        show,
        update,
        save,
      })
      openOverlay({ kind: 'menu', anchor, label: viewMessages.views, sections })
    } catch (error) {
      showErrorToast(error)
    }
  }
  useShortcuts('screen', viewMessages.keys, [
    { keys: 'v', label: viewMessages.views, run: () => void open() },
    { keys: 'shift+v', label: viewMessages.saveAs, run: save },
  ])
  return (
    <>
      <Button
        kind="plain"
        icon="slips"
        className="saved"
        title={current?.name ?? viewMessages.views}
        ref={button}
        aria-haspopup="menu"
        aria-label={current ? `${viewMessages.views}: ${current.name}` : viewMessages.views}
        onClick={() => void open()}
      >
        <span className="clip">{current?.name ?? viewMessages.views}</span>
      </Button>
      {current && hasChanges && (
        <>
          <Button
            reason={getEditBlockReason(context, current)}
            aria-label={viewMessages.updateOf(current.name)}
            title={viewMessages.changed}
            onClick={update}
          >
            {viewMessages.update}
          </Button>
          <Button
            kind="plain"
            aria-label={viewMessages.resetTo(current.name)}
            onClick={() => show(current)}
          >
            {viewMessages.reset}
          </Button>
        </>
      )}
    </>
  )
}
