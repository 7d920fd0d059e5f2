import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { useBoot } from '../../data/boot.ts'
import { sessionEnded } from '../../lib/signed-out.ts'
import { useSignal } from '../../lib/signal.ts'
import { setViewer } from '../../lib/viewer.ts'
import { m } from '../../messages/shell.ts'
import { useKeys } from '../../ui/keys.ts'
import { Toasts } from '../../ui/toasts.tsx'
import { openPalette, palette } from '../palette/open.ts'
import { openShortcuts, shortcuts } from './shortcuts-open.ts'

const Palette = lazy(() =>
  import('../palette/palette.tsx').then(({ Palette }) => ({ default: Palette })),
)
const Shortcuts = lazy(() =>
  import('./shortcuts.tsx').then(({ Shortcuts }) => ({ default: Shortcuts })),
)
const SignInAgain = lazy(() =>
  import('../accounts/sign-in-again.tsx').then(({ SignInAgain }) => ({ default: SignInAgain })),
)

/** What floats above every screen, and the keys that work on all of them. */
export function Overlays() {
  const { session } = useBoot()
  const open = useSignal(palette)
  const keys = useSignal(shortcuts)
  const ended = useSignal(sessionEnded)
  useGlobalKeys()
  const { timezone, locale } = session.user
  useEffect(() => setViewer({ zone: timezone, locale }), [timezone, locale])
  return (
    <>
      <Toasts />
      <Suspense>
        {open && <Palette typed={open.typed} />}
        {keys && <Shortcuts />}
        {ended && <SignInAgain />}
      </Suspense>
    </>
  )
}

function useGlobalKeys(): void {
  const { session } = useBoot()
  const navigate = useNavigate()
  const params = { workspaceId: session.workspace.id }
  const settings = { ...params, section: 'profile' }
  useKeys(m.everywhere, [
    { keys: 'mod+k', label: m.palette, inFields: true, hidden: true, run: () => openPalette() },
    { keys: '?', label: m.shortcuts, hidden: true, run: openShortcuts },
    {
      keys: 'g m',
      label: m.goWork,
      run: () => void navigate({ to: '/w/$workspaceId/my', params }),
    },
    {
      keys: 'g p',
      label: m.goProjects,
      run: () => void navigate({ to: '/w/$workspaceId/projects', params }),
    },
    {
      keys: 'g s',
      label: m.goSettings,
      run: () => void navigate({ to: '/w/$workspaceId/settings/$section', params: settings }),
    },
    { keys: 'g w', label: m.switchWorkspace, run: () => openPalette(m.switchTyped) },
  ])
}
