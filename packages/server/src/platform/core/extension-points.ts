// A feature declares the moments at which others may join its work, and they declare what they add in `Feature.on`.
// Listeners run inside the caller's transaction; messages after a commit go over the bus instead.

declare const listenerType: unique symbol

/** Declared by the feature that owns the moment, in its `extension-points.ts`. `L` is the type of a listener. */
export type ExtensionPoint<L> = { readonly name: string; readonly [listenerType]?: (listener: L) => L }

/** Two points may share a name: a point is found by identity. */
type AnyPoint = { readonly name: string }

export type Extension = { readonly point: AnyPoint; readonly listener: unknown }

export type Extensions = {
  /** In the order of the features in `start/app.ts`. */
  listenersOf<L>(point: ExtensionPoint<L>): readonly L[]
}

export const extensionPoint = <L>(name: string): ExtensionPoint<L> => ({ name })

export const on = <L>(point: ExtensionPoint<L>, listener: L): Extension => ({ point, listener })

export const createExtensions = (declared: readonly Extension[]): Extensions => {
  const listeners = new Map<AnyPoint, unknown[]>()
  for (const { point, listener } of declared) {
    const known = listeners.get(point) ?? []
    known.push(listener)
    listeners.set(point, known)
  }
  const none: readonly never[] = []
  return {
    // `on` ties the type of a listener to its point.
    listenersOf: <L>(point: ExtensionPoint<L>) => (listeners.get(point) as readonly L[] | undefined) ?? none,
  }
}
