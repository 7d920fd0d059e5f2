import { type ButtonHTMLAttributes, type MouseEvent, type Ref, useId } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { Keys } from './keys-shown.tsx'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: 'primary' | 'plain' | 'danger' | 'plain danger'
  /** As wide as its form. */
  wide?: boolean
  icon?: IconName
  /** Its shortcut, e.g. `mod+enter`. */
  keys?: string
  /** Why it cannot be pressed: told on hover and to a screen reader, and the button stays reachable. */
  reason?: string | undefined
  /** Is at it: cannot be pressed again meanwhile. */
  busy?: boolean
  ref?: Ref<HTMLButtonElement>
}

/** A plain button in the house's looks. */
export function Button(props: ButtonProps) {
  const { kind, wide, icon, keys, reason, busy, className, children, onClick, ...rest } = props
  const id = useId()
  const off = reason !== undefined || busy === true
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (off) event.preventDefault()
    else onClick?.(event)
  }
  const looks = ['btn', kind, wide && 'wide', className].filter(Boolean).join(' ')
  return (
    <>
      <button
        type="button"
        {...rest}
        className={looks}
        onClick={press}
        {...(off && { 'aria-disabled': true })}
        {...(busy && { 'aria-busy': true })}
        {...(reason !== undefined && { title: reason, 'aria-describedby': id })}
      >
        {icon && <Icon name={icon} />}
        {children}
        {keys && <Keys of={keys} />}
      </button>
      {reason !== undefined && (
        <span id={id} hidden>
          {reason}
        </span>
      )}
    </>
  )
}

type IconButtonProps = Omit<ButtonProps, 'icon' | 'children' | 'aria-label'> & {
  icon: IconName
  label: string
}

/** A button that shows an icon alone and says its label. */
export const IconButton = ({ icon, label, kind = 'plain', ...rest }: IconButtonProps) => (
  <Button title={label} {...rest} kind={kind} aria-label={label}>
    <Icon name={icon} />
  </Button>
)
