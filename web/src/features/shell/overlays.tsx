import { lazy, Suspense, useEffect } from 'react'
import { ahead } from '../../lib/ahead.ts'
import { useSignal } from '../../lib/signal.ts'
import { sessionEnded } from '../../lib/signed-out.ts'
import { Boundary } from '../../ui/boundary.tsx'
import { Floating } from '../../ui/floating.tsx'
import { Toasts } from '../../ui/toasts.tsx'
import { palette } from '../palette/open.ts'
import { Palette } from '../palette/palette.tsx'
import { Shortcuts } from './shortcuts.tsx'
import { shortcuts } from './shortcuts-open.ts'
import { Tour } from './tour.tsx'
import { tour } from './tour-open.ts'

const loadSignIn = () => import('../accounts/accounts.ts')
const SignInAgain = lazy(() => loadSignIn().then(({ SignInAgain }) => ({ default: SignInAgain })))

/** What floats above every screen. A part that fails leaves the screen, and what waits to be sent, as it is. */
export function Overlays() {
  const open = useSignal(palette)
  const keys = useSignal(shortcuts)
  const shown = useSignal(tour)
  const ended = useSignal(sessionEnded)
  // A session may end after the server has a newer app.
  useEffect(() => ahead(loadSignIn), [])
  return (
    <>
      <Toasts />
      <Floating />
      <Boundary resetKey={`${open !== undefined} ${keys} ${shown} ${ended}`}>
        <Suspense>
          {open && <Palette typed={open.typed} />}
          {keys && <Shortcuts />}
          {shown && <Tour key={shown} asked={shown === 'asked'} />}
          {ended && <SignInAgain />}
        </Suspense>
      </Boundary>
    </>
  )
}
