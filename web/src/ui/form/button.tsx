import { type ButtonHTMLAttributes, type MouseEvent, type Ref, useId } from 'react'
import { ShortcutKeys } from '../keyboard/shortcut-keys.tsx'
import { Icon, type IconName } from '../marks/icon.tsx'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: 'primary' | 'plain' | 'danger' | 'plain danger'
  /** Fills the width of the form. */
  wide?: boolean
  icon?: IconName
  /** The shortcut to show on the button, e.g. `mod+enter`. */
  keys?: string
  /** Why the button is disabled: shown on hover and announced, so the button stays focusable. */
  reason?: string | undefined
  /** The action is running and cannot be started again. */
  busy?: boolean
  ref?: Ref<HTMLButtonElement>
}

/**
 * A button in the styles of the app. Its words have an element of their own: a browser that translates the page
 * replaces their node, which React would go on writing to.
 */
export function Button(props: ButtonProps) {
  const { kind, wide, icon, keys, reason, busy, className, children, onClick, ...rest } = props
  const id = useId()
  const isDisabled = reason !== undefined || busy === true
  const handleClick = (event: MouseEvent<HTMLButtonElement>) => {
    if (isDisabled) event.preventDefault()
    else onClick?.(event)
  }
  const classes = ['btn', kind, wide && 'wide', className].filter(Boolean).join(' ')
  return (
    <>
      <button
        type="button"
        {...rest}
        className={classes}
        onClick={handleClick}
        {...(isDisabled && { 'aria-disabled': true })}
        {...(busy && { 'aria-busy': true })}
        {...(reason !== undefined && { title: reason, 'aria-describedby': id })}
      >
        {icon && <Icon name={icon} />}
        {(icon || keys) && typeof children === 'string' ? <span>{children}</span> : children}
        {keys && <ShortcutKeys of={keys} />}
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

/** A button that shows only an icon; `label` is its accessible name. */
export const IconButton = ({ icon, label, kind = 'plain', ...rest }: IconButtonProps) => (
  <Button title={label} {...rest} kind={kind} aria-label={label}>
    <Icon name={icon} />
  </Button>
)
