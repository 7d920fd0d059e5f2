import { lazy, Suspense, useEffect } from 'react'
import { useSignal } from '../lib/signal.ts'
import { Boundary } from './boundary.tsx'
import { floats, type OpenFloat } from './floats.ts'
import { parts, preloadWhenIdle } from './load-floats.ts'

const Menu = lazy(() => parts.menu().then(({ FloatingMenu }) => ({ default: FloatingMenu })))
const Pick = lazy(() => parts.pick().then(({ FloatingPick }) => ({ default: FloatingPick })))
const DateOf = lazy(() => parts.date().then(({ FloatingDate }) => ({ default: FloatingDate })))
const Dialog = lazy(() =>
  parts.dialog().then(({ FloatingDialog }) => ({ default: FloatingDialog })),
)

/** Where menus, pickers and dialogs appear; one for the whole app. */
export function Floating() {
  const open = useSignal(floats)
  useEffect(preloadWhenIdle, [])
  return open.map((one) => (
    <Boundary key={one.id}>
      <Suspense>
        <OneFloat {...one} />
      </Suspense>
    </Boundary>
  ))
}

function OneFloat({ float, close }: OpenFloat) {
  if (float.kind === 'menu') return <Menu {...float} onClose={close} />
  if (float.kind === 'pick') return <Pick {...float} onClose={close} />
  if (float.kind === 'date') return <DateOf {...float} onClose={close} />
  return <Dialog {...float} onClose={close} />
}
