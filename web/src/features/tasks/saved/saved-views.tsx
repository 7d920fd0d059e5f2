import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { addressOf } from '../../../data/saved-address.ts'
import { toast } from '../../../data/toasts.ts'
import { changeSaved, readViews, type SavedView, useViews } from '../../../data/views.ts'
import { m } from '../../../messages/views.ts'
import { Button } from '../../../ui/button.tsx'
import { openFloat } from '../../../ui/floats.ts'
import { useKeys } from '../../../ui/keys.ts'
import { messageOf } from '../../../ui/trouble.tsx'
import { useScreen } from '../screen.ts'
import type { View } from '../view.ts'
import { openSave } from './dialogs.tsx'
import { sectionsOf } from './menu.ts'
import { whyFixed } from './rights.ts'
import { differs, keptOf } from './shown.ts'

const FROM = '/w/$workspaceId/p/$prefix'

/** The saved views of a project: the one that the address is named for, and all others behind it. */
export function SavedViews({ view }: { view: View }) {
  const screen = useScreen()
  const { project } = screen
  const { saved } = useSearch({ from: FROM })
  const navigate = useNavigate({ from: FROM })
  const button = useRef<HTMLButtonElement>(null)
  const current = useViews(project.id, saved !== undefined)?.find(({ id }) => id === saved)
  const isOther = current !== undefined && differs(current, view)
  const show = (one: SavedView) =>
    void navigate({ search: ({ task }) => ({ ...(task && { task }), ...addressOf(one) }) })
  const update = () => current && changeSaved(current, keptOf(view), m.updated(current.name))
  const save = () => openSave(screen, view, show)
  const open = async () => {
    try {
      const views = await readViews(project.id)
      const anchor = button.current
      if (!anchor?.isConnected) return
      const sections = sectionsOf({ screen, views, current, isOther, show, update, save })
      openFloat({ kind: 'menu', anchor, label: m.views, sections })
    } catch (error) {
      toast({ text: messageOf(error), tone: 'trouble' })
    }
  }
  useKeys(m.keys, [
    { keys: 'v', label: m.views, run: () => void open() },
    { keys: 'shift+v', label: m.saveAs, run: save },
  ])
  return (
    <>
      <Button
        kind="plain"
        icon="slips"
        className="saved"
        title={current?.name ?? m.views}
        ref={button}
        aria-haspopup="menu"
        aria-label={current ? `${m.views}: ${current.name}` : m.views}
        onClick={() => void open()}
      >
        <span className="clip">{current?.name ?? m.views}</span>
      </Button>
      {current && isOther && (
        <>
          <Button
            reason={whyFixed(screen, current)}
            aria-label={m.updateOf(current.name)}
            title={m.changed}
            onClick={update}
          >
            {m.update}
          </Button>
          <Button kind="plain" aria-label={m.resetTo(current.name)} onClick={() => show(current)}>
            {m.reset}
          </Button>
        </>
      )}
    </>
  )
}
