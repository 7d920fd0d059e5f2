import { type ComponentType, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** A component that is loaded when it is wanted, and there at once from then on. */
export class Part<P> {
  now: ComponentType<P> | undefined
  readonly #importing: () => Promise<ComponentType<P>>

  constructor(importing: () => Promise<ComponentType<P>>) {
    this.#importing = importing
  }

  async load(): Promise<ComponentType<P>> {
    this.now ??= await this.#importing()
    return this.now
  }
}

/** What was typed before the field was there: lines that were ended by Enter, and the last one. */
export interface WithEarly {
  early: readonly string[]
}

interface Props<P> {
  part: Part<P & WithEarly>
  props: P
  label: string
  placeholder: string
  className?: string
  onEscape: () => void
}

/** Stands for a field that is still being loaded: what is typed meanwhile is not lost. */
export function Early<P extends object>({ part, props, label, onEscape, ...rest }: Props<P>) {
  const [Field, show] = useState(() => part.now)
  const [early, keep] = useState<readonly string[]>([])
  const lines = useRef<string[]>([])
  const input = useRef<HTMLInputElement>(null)
  const leaving = useRef<(() => void) | undefined>(undefined)
  useEffect(() => {
    if (Field) return
    let over = false
    // In one go: nothing can be typed between reading what there is and the field that goes on with it.
    const swap = (found: ComponentType<P & WithEarly>) => () => {
      keep([...lines.current, input.current?.value ?? ''])
      show(() => found)
    }
    const giveBack = () => {
      if (input.current) input.current.value = [...lines.current, input.current.value].join(' ')
      lines.current = []
    }
    part.load().then((found) => {
      if (over) return
      flushSync(swap(found))
      leaving.current?.()
    }, giveBack)
    return () => {
      over = true
    }
  }, [part, Field])
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') {
      // What was ended by Enter is still to be made: the field does that, and goes then.
      if (lines.current.length > 0) leaving.current = onEscape
      else onEscape()
    }
    if (event.key !== 'Enter') return
    lines.current.push(event.currentTarget.value)
    event.currentTarget.value = ''
  }
  if (Field) return <Field {...props} early={early} />
  return (
    <input
      {...rest}
      ref={input}
      aria-label={label}
      // biome-ignore lint/a11y/noAutofocus: the person asked to type here
      autoFocus
      onKeyDown={press}
    />
  )
}
