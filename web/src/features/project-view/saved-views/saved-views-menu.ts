import {
  changeSavedView,
  deleteSavedViewWithUndo,
  pinSavedViews,
  type SavedView,
} from '../../../data/resources/saved-views.ts'
import { bootState } from '../../../data/session/boot.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import type { MenuItem, MenuSection } from '../../../ui/overlays/menu-button.tsx'
import type { ProjectPageContext } from '../project-page-context.ts'
import { openRenameViewDialog } from './saved-view-dialogs.tsx'
import { getEditBlockReason, getShareBlockReason } from './saved-view-permissions.ts'

const MAX_PINS = 20

interface SavedViewsMenuOptions {
  context: ProjectPageContext
  views: readonly SavedView[]
  /** The saved view that the URL names. */
  current: SavedView | undefined
  /** Whether the shown view differs from it. */
  hasChanges: boolean
  show: (view: SavedView) => void
  update: () => void
  save: () => void
}

/** The sections of the menu: all views, the actions on the current one, and saving a new one. */
export function buildSavedViewsMenu(options: SavedViewsMenuOptions): MenuSection[] {
  const { views, current, show, save } = options
  const viewItems = views.map(
    (view): MenuItem => ({
      id: view.id,
      label: view.name,
      checked: view.id === current?.id,
      hint: view.is_shared ? viewMessages.shared : viewMessages.mine,
      run: () => show(view),
    }),
  )
  const emptyItem: MenuItem = { id: 'none', label: viewMessages.none, reason: '' }
  return [
    { label: viewMessages.views, items: viewItems.length > 0 ? viewItems : [emptyItem] },
    ...(current ? [{ label: current.name, items: listActions(options, current) }] : []),
    {
      items: [
        { id: 'save', label: viewMessages.saveAs, icon: 'plus', shortcut: 'shift+v', run: save },
      ],
    },
  ]
}

function listActions(
  { context, hasChanges, show, update }: SavedViewsMenuOptions,
  view: SavedView,
): MenuItem[] {
  const { name } = view
  const reason = getEditBlockReason(context, view)
  const changeItems: MenuItem[] = hasChanges
    ? [
        { id: 'update', label: viewMessages.updateOf(name), icon: 'check', reason, run: update },
        { id: 'reset', label: viewMessages.resetTo(name), icon: 'refresh', run: () => show(view) },
      ]
    : []
  return [
    ...changeItems,
    {
      id: 'rename',
      label: viewMessages.rename,
      icon: 'edit',
      reason,
      run: () => openRenameViewDialog(view),
    },
    createShareItem(context, view),
    ...createPinItems(view),
    {
      id: 'delete',
      label: viewMessages.delete,
      icon: 'trash',
      reason,
      run: () => deleteSavedViewWithUndo(view),
    },
  ]
}

function createShareItem(context: ProjectPageContext, view: SavedView): MenuItem {
  const { name, is_shared, created_by_id } = view
  if (is_shared) {
    return {
      id: 'share',
      label: viewMessages.unshare,
      icon: 'lock',
      reason: created_by_id === context.me ? undefined : viewMessages.privateReason,
      run: () => changeSavedView(view, { is_shared: false }, viewMessages.wasUnshared(name)),
    }
  }
  return {
    id: 'share',
    label: viewMessages.share(context.project !== undefined),
    icon: 'people',
    reason: getShareBlockReason(context),
    run: () => changeSavedView(view, { is_shared: true }, viewMessages.wasShared(name)),
  }
}

function createPinItems(view: SavedView): MenuItem[] {
  const { name } = view
  const pins = bootState.get()?.views ?? []
  const at = pins.findIndex(({ id }) => id === view.id)
  if (at < 0) {
    return [
      {
        id: 'pin',
        label: viewMessages.pin,
        icon: 'up',
        reason: pins.length < MAX_PINS ? undefined : viewMessages.mostReason,
        run: () => pinSavedViews([...pins, view], viewMessages.wasPinned(name)),
      },
    ]
  }
  const rest = pins.filter(({ id }) => id !== view.id)
  const moveTo = (index: number) => () =>
    pinSavedViews(rest.toSpliced(index, 0, view), viewMessages.wasMoved(name))
  return [
    ...(at > 0
      ? [{ id: 'earlier', label: viewMessages.earlier, icon: 'up', run: moveTo(at - 1) } as const]
      : []),
    ...(at < rest.length
      ? [{ id: 'later', label: viewMessages.later, icon: 'down', run: moveTo(at + 1) } as const]
      : []),
    {
      id: 'unpin',
      label: viewMessages.unpin,
      icon: 'x',
      run: () => pinSavedViews(rest, viewMessages.wasUnpinned(name)),
    },
  ]
}
