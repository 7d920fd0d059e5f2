import '../../styles/accounts.css'
import type { ReactNode } from 'react'
import { useTitle } from '../../lib/title.ts'
import { m } from '../../messages/accounts.ts'
import { FormLine } from '../../ui/field.tsx'
import { Logo } from '../../ui/icon.tsx'

/** A page for who is not signed in: one slip on the desk. */
export function Alone({ children }: { children: ReactNode }) {
  return (
    <div className="alone">
      <header>
        <a className="brand" href="/">
          <Logo />
          {m.docket}
        </a>
        <span className="end mono">{location.host}</span>
      </header>
      <main id="work">{children}</main>
      <footer>
        <a href="/">{m.footAbout}</a>
        <a href="/docs">{m.footDocs}</a>
      </footer>
    </div>
  )
}

/** The heading of a slip and a sentence under it. */
export function SlipHead({ title, children }: { title: string; children?: ReactNode }) {
  useTitle(title)
  return (
    <FormLine>
      <h1>{title}</h1>
      {children !== undefined && <p className="why">{children}</p>}
    </FormLine>
  )
}

/** A slip without a form: something is told, and where to go on. */
export function Told({ title, text, children }: ToldProps) {
  return (
    <Alone>
      <div className="form slip">
        <SlipHead title={title}>{text}</SlipHead>
        <FormLine>
          <div className="acts">{children}</div>
        </FormLine>
      </div>
    </Alone>
  )
}

interface ToldProps {
  title: string
  text: ReactNode
  children: ReactNode
}
