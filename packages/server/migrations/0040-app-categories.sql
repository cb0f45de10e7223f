-- Categories that published manifests use besides the first nine.
alter table apps drop constraint apps_category_check;
alter table apps add constraint apps_category_check check (
  category in (
    'image', 'video', 'audio', 'text', 'chat', '3d', 'flow', 'decision', 'other', 'social', 'utilities', 'multimodal'
  )
);
