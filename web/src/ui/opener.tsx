import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { type Float, openFloat } from './floats.ts'
import { preload } from './load-floats.ts'

export interface OpenerProps extends Omit<ButtonProps, 'onClick' | 'onKeyDown'> {
  /** What the button does and shows: its name for who cannot see it. */
  label: string
  children?: ReactNode
}

interface Props extends OpenerProps {
  opens: Float['kind']
  /** Made when it is pressed, so that it is of that moment. */
  float: (anchor: Element) => Float
}

/** A button that opens something that floats, in the same gesture; what that needs is loaded as the pointer or the focus comes. */
export function Opener({ opens, float, label, className, kind, children, ...rest }: Props) {
  const [open, setOpen] = useState(false)
  const close = useRef<() => void>(undefined)
  useEffect(() => () => close.current?.(), [])
  const show = (anchor: Element) => {
    setOpen(true)
    close.current = openFloat(float(anchor), () => {
      close.current = undefined
      setOpen(false)
    })
  }
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (close.current) close.current()
    else show(event.currentTarget)
  }
  const openDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.key !== 'ArrowDown' || open || rest.reason !== undefined) return
    event.preventDefault()
    event.stopPropagation()
    show(event.currentTarget)
  }
  return (
    <Button
      title={children ? undefined : label}
      {...rest}
      kind={kind ?? 'plain'}
      aria-label={label}
      aria-haspopup={opens === 'menu' ? 'menu' : 'dialog'}
      aria-expanded={open}
      {...(className && { className })}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={press}
      onKeyDown={openDown}
    >
      {children}
    </Button>
  )
}
