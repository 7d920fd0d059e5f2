import {
  type ClipboardEvent,
  type ComponentType,
  type KeyboardEvent,
  useEffect,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'

/** A component that is loaded on demand, and available synchronously from then on. */
export class LazyComponent<P> {
  loaded: ComponentType<P> | undefined
  readonly #importComponent: () => Promise<ComponentType<P>>

  constructor(importComponent: () => Promise<ComponentType<P>>) {
    this.#importComponent = importComponent
  }

  async load(): Promise<ComponentType<P>> {
    this.loaded ??= await this.#importComponent()
    return this.loaded
  }
}

/** What was typed and pasted before the field was loaded. */
export interface BufferedInputProps {
  /** The lines ended by Enter, then the current one. */
  bufferedLines: readonly string[]
  /** The pasted text of several lines, or '': an input by itself would make one line of them. */
  bufferedPaste: string
}

/** The pasted text on one line, as an input would take it. */
export const joinLines = (pasted: string): string => pasted.replace(/\s*\n\s*/g, ' ').trim()

interface LazyFieldProps<P> {
  part: LazyComponent<P & BufferedInputProps>
  props: P
  label: string
  placeholder: string
  onEscape: () => void
}

/** An input in place of a field that is still loading, so that nothing typed meanwhile is lost. */
export function LazyField<P extends object>({
  part,
  props,
  label,
  onEscape,
  ...rest
}: LazyFieldProps<P>) {
  const [Field, setField] = useState(() => part.loaded)
  const [early, setEarly] = useState<BufferedInputProps>({ bufferedLines: [], bufferedPaste: '' })
  const lines = useRef<string[]>([])
  const paste = useRef('')
  const input = useRef<HTMLInputElement>(null)
  const closeAfterLoad = useRef<(() => void) | undefined>(undefined)
  useEffect(() => {
    if (Field) return
    let isUnmounted = false
    // Done synchronously, so that nothing can be typed between reading the input and replacing it.
    const swapIn = (LoadedField: ComponentType<P & BufferedInputProps>) => () => {
      setEarly({
        bufferedLines: [...lines.current, input.current?.value ?? ''],
        bufferedPaste: paste.current,
      })
      setField(() => LoadedField)
    }
    const restoreText = () => {
      const rest = joinLines(paste.current)
      if (input.current)
        input.current.value = [...lines.current, `${input.current.value}${rest}`].join(' ')
      lines.current = []
      paste.current = ''
    }
    part.load().then((LoadedField) => {
      if (isUnmounted) return
      flushSync(swapIn(LoadedField))
      closeAfterLoad.current?.()
    }, restoreText)
    return () => {
      isUnmounted = true
    }
  }, [part, Field])
  const handleKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') {
      // Lines ended by Enter must still be submitted: the field does that once it is loaded, then
      // closes.
      event.currentTarget.value = ''
      if (lines.current.length > 0) closeAfterLoad.current = onEscape
      else onEscape()
    }
    if (event.key !== 'Enter') return
    lines.current.push(event.currentTarget.value)
    event.currentTarget.value = ''
  }
  const handlePaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text')
    if (!text.includes('\n')) return
    event.preventDefault()
    paste.current = text
  }
  if (Field) return <Field {...props} {...early} />
  return (
    <input
      {...rest}
      ref={input}
      role="combobox"
      aria-expanded={false}
      aria-label={label}
      // biome-ignore lint/a11y/noAutofocus: the person asked to type here
      autoFocus
      onKeyDown={handleKeyDown}
      onPaste={handlePaste}
    />
  )
}
