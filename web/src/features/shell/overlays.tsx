import { lazy, Suspense, useEffect } from 'react'
import { useSignal } from '../../lib/signal.ts'
import { sessionEnded } from '../../lib/signed-out.ts'
import { Floating } from '../../ui/floating.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { palette } from '../palette/open.ts'
import { shortcuts } from './shortcuts-open.ts'

const loadPalette = () => import('../palette/palette.tsx')
const Palette = lazy(() => loadPalette().then(({ Palette }) => ({ default: Palette })))
const Shortcuts = lazy(() =>
  import('./shortcuts.tsx').then(({ Shortcuts }) => ({ default: Shortcuts })),
)
const SignInAgain = lazy(() =>
  import('../accounts/sign-in-again.tsx').then(({ SignInAgain }) => ({ default: SignInAgain })),
)

/** What floats above every screen. */
export function Overlays() {
  const open = useSignal(palette)
  const keys = useSignal(shortcuts)
  const ended = useSignal(sessionEnded)
  // It opens in the same moment when it is wanted.
  useEffect(() => void loadPalette(), [])
  return (
    <>
      <Toasts />
      <Floating />
      <Suspense>
        {open && <Palette typed={open.typed} />}
        {keys && <Shortcuts />}
        {ended && <SignInAgain />}
      </Suspense>
    </>
  )
}
