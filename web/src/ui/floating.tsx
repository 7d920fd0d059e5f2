import { lazy, Suspense, useEffect } from 'react'
import { useSignal } from '../lib/signal.ts'
import { Boundary } from './boundary.tsx'
import { floats } from './floats.ts'
import { loadFloats, preloadWhenIdle } from './load-floats.ts'

const OneFloat = lazy(loadFloats)

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
