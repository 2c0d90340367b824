/** A map that drops its oldest entry when it is full. */
export class BoundedMap<K, V> {
  readonly #map = new Map<K, V>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }
  get(key: K): V | undefined {
    return this.#map.get(key);
  }
  set(key: K, value: V): void {
    if (!this.#map.has(key) && this.#map.size >= this.#limit) {
      for (const oldest of this.#map.keys()) {
        this.#map.delete(oldest);
        break;
      }
    }
    this.#map.set(key, value);
  }
  delete(key: K): void {
    this.#map.delete(key);
  }
}
