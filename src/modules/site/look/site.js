// What the pages do better with a script; without it everything works as well. No state, no storage.
(() => {
  /** Told to those who do not see it, too. */
  const say = (text) => {
    const line = document.querySelector('#said');
    if (line) line.textContent = text;
  };
  const post = (address, fields) =>
    fetch(address, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams(fields),
      credentials: 'same-origin',
    });

  const like = async (form) => {
    const [button, field] = [form.querySelector('button'), form.elements.liked];
    button.disabled = true;
    try {
      const reply = await post(form.action, { liked: field.value });
      if (!reply.ok) throw new Error(String(reply.status));
      const { liked, likeCount } = await reply.json();
      field.value = String(!liked);
      button.setAttribute('aria-pressed', String(liked));
      button.querySelector('[data-count]').textContent = String(likeCount);
      say(liked ? 'Liked.' : 'Like taken back.');
    } catch {
      // The page that the form leads to tells what is wrong.
      form.submit();
    } finally {
      button.disabled = false;
      button.focus();
    }
  };

  // A like without a new page.
  for (const form of document.querySelectorAll('form[data-like]')) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void like(form);
    });
  }

  // The address of the post, and sharing by what the device offers.
  for (const box of document.querySelectorAll('[data-share]')) {
    const count = (channel) =>
      navigator.sendBeacon?.(box.dataset.share, new URLSearchParams({ channel })) ??
      post(box.dataset.share, { channel });
    for (const link of box.querySelectorAll('a[data-channel]')) {
      link.addEventListener('click', () => count(link.dataset.channel));
    }
    const button = box.querySelector('button[data-copy]');
    if (!button || !navigator.clipboard) continue;
    button.closest('li').hidden = false;
    const copy = async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      say('Link copied.');
      button.textContent = 'Link copied';
      count('copy-link');
    };
    button.addEventListener('click', () => void copy());
  }

  // Nobody comments twice by pressing twice.
  for (const form of document.querySelectorAll('form[method="post"]:not([data-like])')) {
    form.addEventListener('submit', () => setTimeout(() => form.querySelector('button')?.setAttribute('disabled', '')));
  }
  addEventListener('pageshow', (event) => {
    if (event.persisted) for (const button of document.querySelectorAll('form button')) button.disabled = false;
  });
})();
