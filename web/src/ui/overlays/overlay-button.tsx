import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react'
import { Button, type ButtonProps } from '../form/button.tsx'
import { preloadOverlays } from './load-overlays.ts'
import { type Overlay, openOverlay } from './overlay-stack.ts'

export interface OverlayButtonBaseProps extends Omit<ButtonProps, 'onClick' | 'onKeyDown'> {
  /** The accessible name: what the button does and its current value. */
  label: string
  children?: ReactNode
}

interface OverlayButtonProps extends OverlayButtonBaseProps {
  overlayKind: Overlay['kind']
  /** Called on each press, so that the overlay has the current data. */
  createOverlay: (anchor: Element) => Overlay
}

/** A button that opens an overlay; hovering or focusing it preloads the code of overlays. */
export function OverlayButton({
  overlayKind,
  createOverlay,
  label,
  className,
  kind,
  children,
  ...rest
}: OverlayButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const close = useRef<() => void>(undefined)
  useEffect(() => () => close.current?.(), [])
  const openAt = (anchor: Element) => {
    setIsOpen(true)
    close.current = openOverlay(createOverlay(anchor), () => {
      close.current = undefined
      setIsOpen(false)
    })
  }
  const toggle = (event: MouseEvent<HTMLButtonElement>) => {
    if (close.current) close.current()
    else openAt(event.currentTarget)
  }
  const openOnArrowDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.key !== 'ArrowDown' || isOpen || rest.reason !== undefined) return
    event.preventDefault()
    event.stopPropagation()
    openAt(event.currentTarget)
  }
  return (
    <Button
      title={children ? undefined : label}
      {...rest}
      kind={kind ?? 'plain'}
      aria-label={label}
      aria-haspopup={overlayKind === 'menu' ? 'menu' : 'dialog'}
      aria-expanded={isOpen}
      {...(className && { className })}
      onPointerEnter={preloadOverlays}
      onFocus={preloadOverlays}
      onClick={toggle}
      onKeyDown={openOnArrowDown}
    >
      {children}
    </Button>
  )
}
