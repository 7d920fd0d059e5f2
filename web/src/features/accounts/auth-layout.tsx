import '../../styles/slip-page.css'
import './auth-layout.css'
import type { ReactNode } from 'react'
import { useTitle } from '../../lib/browser/use-title.ts'
import { accountMessages } from '../../messages/accounts/accounts.ts'
import { FormLine } from '../../ui/form/form-field.tsx'
import { Logo } from '../../ui/marks/icon.tsx'
import { OverlayHost } from '../../ui/overlays/overlay-host.tsx'

/** The layout of the pages outside of a workspace: a brand line, one form, a footer, and overlays. */
export function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <div className="alone">
      <header>
        <a className="brand" href="/">
          <Logo />
          {accountMessages.docket}
        </a>
        <span className="end mono">{location.host}</span>
      </header>
      <main id="work">{children}</main>
      <OverlayHost />
      <footer>
        <a href="/">{accountMessages.footAbout}</a>
        <a href="/docs">{accountMessages.footDocs}</a>
      </footer>
    </div>
  )
}

/** The heading of a form, with an explanation below it; it is the title of the page, too. */
export function AuthHeading({ title, children }: { title: string; children?: ReactNode }) {
  useTitle(title)
  return (
    <FormLine>
      <h1>{title}</h1>
      {children !== undefined && <p className="why">{children}</p>}
    </FormLine>
  )
}

/** A page with a message and links instead of a form. */
export function AuthMessage({ title, text, children }: AuthMessageProps) {
  return (
    <AuthLayout>
      <div className="form slip">
        <AuthHeading title={title}>{text}</AuthHeading>
        <FormLine>
          <div className="acts">{children}</div>
        </FormLine>
      </div>
    </AuthLayout>
  )
}

interface AuthMessageProps {
  title: string
  text: ReactNode
  children: ReactNode
}
