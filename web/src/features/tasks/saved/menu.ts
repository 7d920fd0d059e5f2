import { boot } from '../../../data/boot.ts'
import {
  changeSaved,
  hiddenViews,
  pinSaved,
  removeSaved,
  type SavedView,
} from '../../../data/views.ts'
import { m } from '../../../messages/views.ts'
import type { MenuItem, MenuSection } from '../../../ui/menu.tsx'
import type { Screen } from '../screen.ts'
import { openRename } from './dialogs.tsx'
import { whyAlone, whyFixed } from './rights.ts'

const MOST_PINS = 20

interface Offered {
  screen: Screen
  views: readonly SavedView[]
  /** The one for which the address is named, and whether what is shown differs from it. */
  current: SavedView | undefined
  isOther: boolean
  show: (view: SavedView) => void
  update: () => void
  save: () => void
}

/** All views to go to, what can be done with the one that is open, and saving another. */
export function sectionsOf(offered: Offered): MenuSection[] {
  const { views, current, show, save } = offered
  const hidden = hiddenViews.get()
  const all = views.filter(({ id }) => !hidden.has(id))
  const places = all.map(
    (view): MenuItem => ({
      ...{ id: view.id, label: view.name, checked: view.id === current?.id },
      hint: view.is_shared ? m.shared : m.mine,
      run: () => show(view),
    }),
  )
  const none: MenuItem = { id: 'none', label: m.none, reason: '' }
  return [
    { label: m.views, items: places.length > 0 ? places : [none] },
    ...(current ? [{ label: current.name, items: actsOf(offered, current) }] : []),
    { items: [{ id: 'save', label: m.saveAs, icon: 'plus', shortcut: 'shift+v', run: save }] },
  ]
}

function actsOf({ screen, isOther, show, update }: Offered, view: SavedView): MenuItem[] {
  const { name } = view
  const reason = whyFixed(screen, view)
  const changed: MenuItem[] = isOther
    ? [
        { id: 'update', label: m.updateOf(name), icon: 'check', reason, run: update },
        { id: 'reset', label: m.resetTo(name), icon: 'refresh', run: () => show(view) },
      ]
    : []
  return [
    ...changed,
    { id: 'rename', label: m.rename, icon: 'edit', reason, run: () => openRename(view) },
    sharing(screen, view),
    ...pinning(view),
    { id: 'delete', label: m.delete, icon: 'trash', reason, run: () => removeSaved(view) },
  ]
}

function sharing(screen: Screen, view: SavedView): MenuItem {
  const { name, is_shared, created_by_id } = view
  if (is_shared) {
    return {
      ...{ id: 'share', label: m.unshare, icon: 'lock' },
      reason: created_by_id === screen.me ? undefined : m.privateReason,
      run: () => changeSaved(view, { is_shared: false }, m.wasUnshared(name)),
    }
  }
  return {
    ...{ id: 'share', label: m.share, icon: 'people', reason: whyAlone(screen) },
    run: () => changeSaved(view, { is_shared: true }, m.wasShared(name)),
  }
}

function pinning(view: SavedView): MenuItem[] {
  const { name } = view
  const pins = boot.get()?.views ?? []
  const at = pins.findIndex(({ id }) => id === view.id)
  if (at < 0) {
    return [
      {
        ...{ id: 'pin', label: m.pin, icon: 'up' },
        reason: pins.length < MOST_PINS ? undefined : m.mostReason,
        run: () => pinSaved([...pins, view], m.wasPinned(name)),
      },
    ]
  }
  const rest = pins.filter(({ id }) => id !== view.id)
  const to = (place: number) => () => pinSaved(rest.toSpliced(place, 0, view), m.wasMoved(name))
  return [
    ...(at > 0 ? [{ id: 'earlier', label: m.earlier, icon: 'up', run: to(at - 1) } as const] : []),
    ...(at < rest.length
      ? [{ id: 'later', label: m.later, icon: 'down', run: to(at + 1) } as const]
      : []),
    { id: 'unpin', label: m.unpin, icon: 'x', run: () => pinSaved(rest, m.wasUnpinned(name)) },
  ]
}
