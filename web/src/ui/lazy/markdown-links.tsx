import type { ReactNode } from 'react'
import { ownImage, safeLink } from '../../lib/markdown.ts'

/** A link where it may be followed, else its words alone. */
export function SafeLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const link = href ? safeLink(href, location.origin) : undefined
  if (!link) return <>{children}</>
  return link.own ? (
    <a href={link.href}>{children}</a>
  ) : (
    <a href={link.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  )
}

/** An attachment of this place, small and to be opened; any other picture is a link to it. */
export function SafeImage({ src, alt }: { src: string; alt: string }) {
  const own = ownImage(src, location.origin)
  if (own === undefined) return <SafeLink href={src}>{alt || src}</SafeLink>
  return (
    <a className="picture" href={own} target="_blank" rel="noopener">
      <img src={own} alt={alt} loading="lazy" />
    </a>
  )
}
